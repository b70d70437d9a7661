package gate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rows are the rows of the seed (facts on its plan/apply gate) that are about the gate.
const rows = `P2 P3 P4 P5 B1 B2 B3 B4 B5 B6 B7 B8
	D1 D2 D3 D4 D5 D6 D7 D8 D9 D10 D11 D12 D13 D14 D15 D16 D17 D18 C1 C2 C3 C4 C5 C6 C7 C8 C9
	R1 R2 R3 R4 R5 V1 V2 V3 V4 K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11`

// cases are those of the groups approvals and denials.
const cases = `appr-01 appr-02 appr-03 appr-06 appr-07 appr-08 appr-10 appr-11 appr-12 appr-15 appr-16 appr-20 appr-21 appr-23
	deny-01 deny-03 deny-06 deny-07 deny-08 deny-10`

// goTests are the packages whose tests may cover what no vector can.
var goTests = []string{"gate", "serve", "breaker", "persist", "local", "decisionhook", "audit", "conformance/gate", "cmd/policyctl"}

var (
	paragraph = regexp.MustCompile(`\*\*((?:GAT|SRV)-[0-9]+)\*\*`)
	mention   = regexp.MustCompile(`\b(?:GAT|SRV|appr|deny)-[0-9]+\b|\b[BCDKPRV][0-9]+\b`)
)

// ids returns the numbered paragraphs of a specification.
func ids(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "spec", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, match := range paragraph.FindAllSubmatch(text, -1) {
		all = append(all, string(match[1]))
	}
	if len(all) == 0 {
		t.Fatalf("%s has no paragraphs", name)
	}
	return all
}

// mentioned returns what the tests of other packages name.
func mentioned(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range goTests {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if filepath.Base(file) == "coverage_test.go" {
				continue // it names everything
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range mention.FindAllString(string(text), -1) {
				found[id] = true
			}
		}
	}
	return found
}

// TestEverythingIsCovered fails if a requirement of the gate or the protocol, a row of
// the seed or a case has neither a vector nor a Go test that names it, and if a vector
// names what there is not.
func TestEverythingIsCovered(t *testing.T) {
	known := slices.Concat(ids(t, "gate.md"), ids(t, "serve.md"), strings.Fields(rows), strings.Fields(cases))
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, v := range vectors {
		for _, id := range v.Covers {
			covered[id] = true
			if !slices.Contains(known, id) {
				t.Errorf("vector %s covers %s, which there is not", v.Name, id)
			}
		}
	}
	byTest := mentioned(t)
	for _, id := range known {
		switch {
		case covered[id]:
		case byTest[id]:
			t.Logf("%s has a Go test only", id)
		default:
			t.Errorf("%s has neither a vector nor a Go test", id)
		}
	}
}
