package gate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/plangate/plangate/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain builds the program for the vectors that are played in other processes.
func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gatevectors")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "policyctl.exe")
	build := exec.Command("go", "build", "-o", program, "../../cmd/policyctl")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return pgtest.Main(m)
}

// TestVectors plays every vector through Go, through the server in this process and
// through a server process, on SQLite and on PostgreSQL.
func TestVectors(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{"sqlite", "postgres"} {
		for _, way := range []struct {
			name  string
			start func(context.Context, *place) (Kernel, error)
		}{{"go", startDirect}, {"serve", startPipe}, {"process", startProcess}} {
			for _, v := range vectors {
				if v.Script != nil && way.name == "process" {
					continue // the wire has no words for it
				}
				t.Run(store+"/"+way.name+"/"+v.Name, func(t *testing.T) {
					t.Parallel()
					url := ""
					if store == "postgres" {
						url = pgtest.Database(t)
					}
					for _, failure := range Run(context.Background(), newPlace(t, &v, url, way.start), v) {
						t.Errorf("%v: %s", v.Covers, failure)
					}
				})
			}
		}
	}
}
