package archtest

import (
	"slices"
	"strings"
)

// entry is a line of the layout.
type entry struct {
	pkg  string // directory; "." is the root package
	ours string // packages of this module that it may import
	libs string // modules of others whose packages it may import
}

// layout is the drawing of the module: text flows from dsl through compile to
// eval, and never back. A package may import only what stands above it.
// Standard library packages are free, except for those in effects. Test files
// may import anything.
var layout = []entry{
	{".", "", ""},
	{"internal/suggest", "", "levenshtein"},
	{"internal/errtext", "", ""},
	{"internal/hclsource", ".", "hcl textseg"},
	{"dsl", ". internal/hclsource internal/suggest", "hcl cty text participle"},
	{"catalog", ". internal/hclsource internal/suggest", "hcl cty text jsonschema"},
	{"eval", ".", ""},
	{"command", ".", "sh"},
	{"facts", ". eval command", "net text"},
	{"when", ". internal/hclsource internal/suggest eval", "hcl cty"},
	{"bind", ". eval command facts", ""},
	{"compile", ". internal/hclsource internal/suggest dsl catalog eval command facts bind when", "hcl cty text"},
	{"layers", ". internal/suggest eval", "flock renameio"},
	{"load", ". dsl catalog eval bind when compile layers", ""},
	{"audit", ".", "flock"},
	{"breaker", ".", ""},
	{"decisionhook", ".", ""},
	{"gate", ". audit breaker catalog decisionhook eval", "jcs"},
	{"persist", ". audit gate", "flock pgx sqlite"},
	{"persist/writeback", ". dsl catalog eval command facts bind when compile layers load", "hcl cty flock go-internal renameio text"},
	{"local", ". audit decisionhook eval gate layers load persist persist/writeback", ""},
	{"serve", ". audit breaker catalog eval gate", ""},
	{"ancestry", "", ""},
	{"internal/toolcalls", ". internal/suggest", "text textseg"},
	{"harness", ".", ""},
	{"hook", ". internal/errtext audit eval harness layers", ""},
	{"install", ". harness hook layers", "flock renameio"},
	{"mcpserve", ". harness", "go-sdk"},
	{"rules", ". dsl catalog eval command", "participle"},
	{"conformance", ". dsl catalog eval compile", ""},
	{"conformance/gate", ". audit breaker catalog compile decisionhook dsl eval gate persist serve", ""},
	{"cmd/policyctl-hook", ". bind eval harness hook layers", ""},
	{"cmd/policyctl", ". internal/errtext internal/suggest internal/toolcalls dsl catalog eval bind when compile layers load conformance " +
		"ancestry audit gate harness hook install local mcpserve persist persist/writeback rules serve",
		"cobra pflag participle renameio sys term text wordwrap go-internal"},

	{"examples/embed", ". compile", ""},
	{"examples/kernel", ". gate layers load local", "renameio"},

	// For tests only: nothing may import these.
	{"internal/reference", ". dsl catalog", ""},
	{"internal/bench", "", ""},
	{"internal/pgtest", "", "pgx"},
	{"internal/crash", "", ""},
	{"e2e", "", ""},
	{"persist/persisttest", ". audit eval gate", "go-cmp"},
	{"internal/readmetest", "", ""},
	{"internal/archtest", "", ""},
}

// modules are the direct dependencies, by the short names that layout uses.
var modules = map[string]string{
	"cobra":       "github.com/spf13/cobra",
	"cty":         "github.com/zclconf/go-cty",
	"flock":       "github.com/gofrs/flock",
	"go-cmp":      "github.com/google/go-cmp",
	"go-sdk":      "github.com/modelcontextprotocol/go-sdk",
	"go-internal": "github.com/rogpeppe/go-internal",
	"hcl":         "github.com/hashicorp/hcl/v2",
	"jcs":         "github.com/gowebpki/jcs",
	"jsonschema":  "github.com/google/jsonschema-go",
	"net":         "golang.org/x/net",
	"sh":          "mvdan.cc/sh/v3",
	"levenshtein": "github.com/agext/levenshtein",
	"participle":  "github.com/alecthomas/participle/v2",
	"pflag":       "github.com/spf13/pflag",
	"pgx":         "github.com/jackc/pgx/v5",
	"renameio":    "github.com/google/renameio/v2",
	"sqlite":      "modernc.org/sqlite",
	"sys":         "golang.org/x/sys",
	"term":        "golang.org/x/term",
	"text":        "golang.org/x/text",
	"textseg":     "github.com/apparentlymart/go-textseg/v15",
	"wordwrap":    "github.com/mitchellh/go-wordwrap",
}

// effects are the ways out of a pure function, and who may use them. A name
// with a dot after the last slash is an identifier of a package.
var effects = map[string]string{
	"database/sql": "persist",
	"log":          "examples/embed",
	"log/slog":     "",
	"net":          "decisionhook persist persist/writeback internal/pgtest",
	"net/http":     "decisionhook",
	"os": "facts compile layers hook conformance cmd/policyctl cmd/policyctl-hook decisionhook audit install persist persist/writeback ancestry examples/kernel " +
		"conformance/gate internal/pgtest persist/persisttest",
	"os/exec": "conformance cmd/policyctl-hook decisionhook install ancestry examples/kernel conformance/gate internal/pgtest",
	"plugin":  "",
	"time.Now": "compile cmd/policyctl cmd/policyctl-hook local decisionhook persist persist/writeback audit conformance/gate internal/pgtest " +
		"persist/persisttest",
	"unsafe": "",
}

// permits reports whether a list of words contains one.
func permits(list, word string) bool { return slices.Contains(strings.Fields(list), word) }
