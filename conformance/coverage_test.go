package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var idPattern = regexp.MustCompile(`\*\*([A-Z]{3}-[0-9]+)\*\*`)

// paragraphs returns the text of every numbered paragraph of the specification.
func paragraphs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../spec/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no specification: %v", err)
	}
	found := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range strings.Split(string(text), "\n#") {
			places := idPattern.FindAllStringSubmatchIndex(section, -1)
			for i, place := range places {
				end := len(section)
				if i+1 < len(places) {
					end = places[i+1][0]
				}
				id := section[place[2]:place[3]]
				if _, ok := found[id]; ok {
					t.Errorf("%s: %s stands twice", file, id)
				}
				found[id] = section[place[1]:end]
			}
		}
	}
	return found
}

// TestEveryRequirementIsCovered fails if a paragraph with a MUST has neither a
// vector nor an entry in covered_by_test.json, or if one of them names a
// paragraph or a test that does not exist.
func TestEveryRequirementIsCovered(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	spec, covered := paragraphs(t), map[string]bool{}
	for _, v := range vectors {
		for _, id := range v.Covers {
			covered[id] = true
			if _, ok := spec[id]; !ok {
				t.Errorf("vector %s covers %s, which the specification does not have", v.Name, id)
			}
		}
	}
	for id, test := range coveredByTest(t) {
		if _, ok := spec[id]; !ok {
			t.Errorf("covered_by_test.json: the specification has no %s", id)
		}
		if !testExists(t, test) {
			t.Errorf("covered_by_test.json: %s: there is no test %s", id, test)
		}
		covered[id] = true
	}
	var missing []string
	for id, text := range spec {
		if strings.Contains(text, "MUST") && !covered[id] {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("neither a vector nor a test for %s", strings.Join(missing, ", "))
	}
}

// coveredByTest maps ids to tests, as directory.TestName.
func coveredByTest(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("covered_by_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var tests map[string]string
	if err := json.Unmarshal(text, &tests); err != nil {
		t.Fatal(err)
	}
	return tests
}

func testExists(t *testing.T, test string) bool {
	t.Helper()
	dir, name, ok := strings.Cut(test, ".")
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return ok && slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "func "+name+"(")
	})
}
