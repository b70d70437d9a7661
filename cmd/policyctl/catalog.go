package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
)

func newCatalog(w *world) *cobra.Command {
	cmd := group("catalog", "Show and import catalogs of operations")
	cmd.Long = `A catalog says which operations exist, what kind and risk they have and which of
their arguments are commands, paths or URLs. See the commands below.`
	cmd.AddCommand(newCatalogShow(w), newCatalogImport(w), newCatalogCovers(w))
	return cmd
}

func newCatalogShow(w *world) *cobra.Command {
	format := newChoice("human", "json")
	var clis cliList
	cmd := &cobra.Command{
		Use:   "show [FILE...]",
		Short: "Show the operations of catalogs",
		Long: `Reads catalogs, .json or .hcl, and shows all their operations in one list. Roles
that were guessed from argument names are shown like those that were written. With
--cli it shows the tools of an agent CLI that its hook knows without a catalog.

Formats: human (a table), json (the form that --catalog reads).
Exit codes: 0 fine, 2 wrong usage or a catalog that cannot be read or has errors.`,
		Example: `  policyctl catalog show github.catalog.json
  policyctl catalog show --cli claude`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args)+len(clis) == 0 {
				return fmt.Errorf("which catalog? Give at least one FILE, or --cli CLI")
			}
			texts, err := w.readCatalogs(args, clis...)
			if err != nil {
				return err
			}
			err = w.showCatalog(texts, format.value)
			if err != nil {
				w.hintImport(texts)
			}
			return err
		},
	}
	format.register(cmd, "output format")
	clis.register(cmd, "show the tools of this agent CLI; may be repeated")
	return cmd
}

func newCatalogImport(w *world) *cobra.Command {
	var mcp string
	var server catalog.Server
	var trusted bool
	cmd := &cobra.Command{
		Use:   "import --mcp FILE --provider NAME",
		Short: "Turn an MCP tools/list result into a catalog",
		Long: `Reads the result of an MCP tools/list request, "-" for standard input, and prints
a catalog in JSON. What a server says of its own tools is a claim: without
--trust-annotations every tool is a resource of high risk.

Exit codes: 0 fine, 2 wrong usage or a result that cannot be read or has errors.`,
		Example: "  policyctl catalog import --mcp tools.json --provider github > github.catalog.json",
		Args:    noArgs("give the file with --mcp: policyctl catalog import --mcp %s --provider NAME"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case mcp == "":
				return fmt.Errorf("missing --mcp FILE")
			case server.Provider == "":
				return fmt.Errorf("missing --provider NAME")
			}
			if trusted {
				server.Trust = catalog.TrustAnnotations
			}
			shown, src, err := w.read(mcp, dsl.MaxBytes)
			if err != nil {
				return err
			}
			imported, diags := catalog.ParseMCP(shown, server, src)
			err = w.showCatalog(&catalogTexts{imported, diags, map[string][]byte{shown: src}}, "json")
			w.hintTrust(diags)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&mcp, "mcp", "", "`FILE` with the result of tools/list")
	flags.StringVar(&server.Provider, "provider", "", "`NAME` that calls give as provider")
	flags.BoolVar(&trusted, "trust-annotations", false, "believe what the server says of its tools")
	complete(cmd, "provider")
	return cmd
}

// showCatalog prints diagnostics to standard error and the catalog, if it has no
// errors, to standard output.
func (w *world) showCatalog(texts *catalogTexts, format string) error {
	p := &printer{out: w.stderr, sources: texts.sources}
	p.printAll(texts.diags)
	if texts.diags.HasErrors() {
		return exit(codeUsage)
	}
	if format == "json" {
		_, err := w.stdout.Write(texts.catalog.JSON())
		return written(err)
	}
	return printCatalog(w, texts.catalog)
}

func printCatalog(w *world, c *catalog.Catalog) error {
	table := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OPERATION\tKIND\tRISK\tROLES\tDESCRIPTION")
	for op := range c.All() {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", escape(nameOf(op.Provider, op.Name)), op.Kind, op.Risk,
			escape(rolesOf(op.Roles)), firstColumns(firstLine(op.Description), afterWidth))
	}
	return written(table.Flush())
}

// rolesOf lists the arguments that mean something to conditions.
func rolesOf(roles catalog.Roles) string {
	var words []string
	add := func(role string, pointers []string) {
		for _, pointer := range pointers {
			words = append(words, role+":"+pointer)
		}
	}
	add("command", roles.Command)
	add("path", roles.Path)
	add("url", roles.URL)
	return strings.Join(words, " ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
