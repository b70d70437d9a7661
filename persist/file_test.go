//go:build unix

package persist_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

var clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// openSQLite opens a file with a fixed clock.
func openSQLite(t testing.TB, path string, check persist.Check) (*persist.DB, error) {
	t.Helper()
	db, err := persist.OpenSQLite(context.Background(), path, persist.Options{Check: check, Clock: func() time.Time { return clock }})
	if err == nil {
		t.Cleanup(func() { db.Close() })
	}
	return db, err
}

// filled returns the path of a store with items, closed, so that it is one file.
func filled(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate.db")
	db, err := persist.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	addItems(t, db, 500)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// overwrite replaces bytes of a file.
func overwrite(t testing.TB, path string, at int64, with []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(with, at); err != nil {
		t.Fatal(err)
	}
}

func truncate(t testing.TB, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFileIsSetAside(t *testing.T) {
	garbage := bytes.Repeat([]byte{0xa5, 0x00, 0xff, 0x13}, 4096)
	for name, damage := range map[string]func(t *testing.T, path string){
		"header is zero":             func(t *testing.T, path string) { overwrite(t, path, 0, make([]byte, 100)) },
		"header is garbage":          func(t *testing.T, path string) { overwrite(t, path, 0, garbage[:64]) },
		"all is zero":                func(t *testing.T, path string) { overwrite(t, path, 0, make([]byte, len(read(t, path)))) },
		"cut in the header":          func(t *testing.T, path string) { truncate(t, path, 50) },
		"cut in the first page":      func(t *testing.T, path string) { truncate(t, path, 1000) },
		"cut after the first page":   func(t *testing.T, path string) { truncate(t, path, 4096) },
		"cut in the middle":          func(t *testing.T, path string) { truncate(t, path, int64(len(read(t, path))/2)) },
		"last page is gone":          func(t *testing.T, path string) { truncate(t, path, int64(len(read(t, path))-4096)) },
		"last byte is gone":          func(t *testing.T, path string) { truncate(t, path, int64(len(read(t, path))-1)) },
		"garbage in the schema":      func(t *testing.T, path string) { overwrite(t, path, 100, garbage[:3000]) },
		"garbage in the middle":      func(t *testing.T, path string) { overwrite(t, path, 40*4096, garbage) },
		"page of zeros":              func(t *testing.T, path string) { overwrite(t, path, 50*4096, make([]byte, 4096)) },
		"page is somewhere else too": func(t *testing.T, path string) { overwrite(t, path, 50*4096, read(t, path)[60*4096:][:4096]) },
		"one binary byte":            func(t *testing.T, path string) { truncate(t, path, 0); overwrite(t, path, 0, []byte{0xff}) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			damage(t, path)
			before := read(t, path)
			db, err := openSQLite(t, path, persist.CheckQuick)
			if err != nil {
				t.Fatal(err)
			}
			found := db.Damage()
			if found == nil {
				t.Fatal("the damage was not noticed")
			}
			if found.Path != path+".damaged-20260301T120000Z" || found.Reason == "" {
				t.Errorf("%+v", found)
			}
			if !bytes.Equal(read(t, found.Path), before) {
				t.Error("the damaged file was changed")
			}
			if n := count(t, db); n != 0 {
				t.Errorf("the new store has %d items", n)
			}
			addItems(t, db, 1)
			db.Close()
			again, err := openSQLite(t, path, persist.CheckFull)
			if err != nil || again.Damage() != nil || count(t, again) != 1 {
				t.Errorf("the new store does not last: %v", err)
			}
		})
	}
}

// CheckFull compares indexes with tables, which CheckQuick does not.
func TestCheckFull(t *testing.T) {
	path := filled(t)
	raw(t, path, "PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'plangate_items_plan') WHERE name = 'plangate_items_state'")
	db, err := openSQLite(t, path, persist.CheckFull)
	if err != nil || db.Damage() == nil {
		t.Errorf("the damage was not noticed: %v", err)
	}
}

func TestCheckSchemaReadsLittle(t *testing.T) {
	path := filled(t)
	overwrite(t, path, 50*4096, make([]byte, 4096))
	db, err := openSQLite(t, path, persist.CheckSchema)
	if err != nil || db.Damage() != nil {
		t.Errorf("%v, %+v; want no look at the whole file", err, db.Damage())
	}
	db.Close()
	overwrite(t, path, 0, make([]byte, 100))
	if db, err = openSQLite(t, path, persist.CheckSchema); err != nil || db.Damage() == nil {
		t.Errorf("%v; want the damage of the header noticed", err)
	}
}

// Several damages in one second, and names that are taken.
func TestSetAsideOverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.db")
	var kept []string
	for i := range 5 {
		content := bytes.Repeat([]byte{0xff, byte(i)}, 600)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := openSQLite(t, path, persist.CheckQuick)
		if err != nil || db.Damage() == nil {
			t.Fatalf("%v, no damage", err)
		}
		kept = append(kept, db.Damage().Path)
		db.Close()
	}
	for i, name := range kept {
		if got := read(t, name); got[1] != byte(i) {
			t.Errorf("%s holds damage %d; want %d", name, got[1], i)
		}
	}
}

// A log without its database is not applied to a new one, and not deleted.
func TestLogWithoutDatabase(t *testing.T) {
	for name, gone := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			log := []byte("what is left of answers")
			if err := errors.Join(gone(path), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
				t.Fatal(err)
			}
			db, err := openSQLite(t, path, persist.CheckQuick)
			if err != nil {
				t.Fatal(err)
			}
			if db.Damage() == nil || !bytes.Equal(read(t, db.Damage().Path+"-wal"), log) {
				t.Errorf("%+v; want the log set aside", db.Damage())
			}
			addItems(t, db, 1)
		})
	}
}

// What is left of a writer that was killed, with its log, is a sound store.
func TestLogOfLivingDatabaseIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.db")
	db := open(t, path)
	addItems(t, db, 20)
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := os.WriteFile(copied+suffix, read(t, path+suffix), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again, err := openSQLite(t, copied, persist.CheckFull)
	if err != nil || again.Damage() != nil || count(t, again) != 20 {
		t.Errorf("%v, damage %+v", err, again.Damage())
	}
}

func TestEmptyFileIsANewStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := openSQLite(t, path, persist.CheckQuick)
	if err != nil || db.Damage() != nil {
		t.Fatalf("%v, %+v", err, db.Damage())
	}
	addItems(t, db, 1)
}

// What may be sound, or is something else, is refused and left as it is.
func TestRefusedFiles(t *testing.T) {
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"symbolic link": {func(t *testing.T, path string) {
			if err := os.Symlink(filled(t), path); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"dangling link": {func(t *testing.T, path string) {
			if err := os.Symlink(filepath.Join(t.TempDir(), "new"), path); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"pipe": {func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"link instead of the log": {func(t *testing.T, path string) {
			if err := os.Symlink(filled(t), path+"-wal"); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"link instead of the lock": {func(t *testing.T, path string) {
			if err := os.Symlink(filled(t), path+".lock"); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrUnsafeFile},
		"text": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("policy \"ä\" {}\r\n", 400)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrForeign},
		"one letter": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, persist.ErrForeign},
		"database of another program": {func(t *testing.T, path string) {
			raw(t, path, "CREATE TABLE bookmarks (url TEXT)")
		}, persist.ErrForeign},
		"empty database of another program": {func(t *testing.T, path string) {
			raw(t, path, "PRAGMA application_id = 7", "VACUUM")
		}, persist.ErrForeign},
		"newer schema": {func(t *testing.T, path string) {
			if err := os.Rename(filled(t), path); err != nil {
				t.Fatal(err)
			}
			raw(t, path, "UPDATE plangate_meta SET version = 1000")
		}, persist.ErrNewerSchema},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "gate.db")
			test.make(t, path)
			before := tree(t, filepath.Dir(path))
			for range 2 {
				if _, err := openSQLite(t, path, persist.CheckQuick); !errors.Is(err, test.want) {
					t.Errorf("%v; want %v", err, test.want)
				}
			}
			if after := tree(t, filepath.Dir(path)); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
}

// tree describes the files of a directory, without locks.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, ".lock") {
			return err
		}
		b.WriteString(entry.Name() + " " + entry.Type().String())
		if entry.Type().IsRegular() {
			b.WriteString(" " + string(bytes.ToUpper(read(t, path)[:min(100, len(read(t, path)))])))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// raw changes a file with SQLite alone.
func raw(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that others hold is not damaged.
func TestLockedFileIsNotSetAside(t *testing.T) {
	t.Parallel()
	path := filled(t)
	holder, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	holder.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE", "DELETE FROM plangate_sessions"} {
		if _, err := holder.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := persist.OpenSQLite(ctx, path, persist.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v; want context.DeadlineExceeded", err)
	}
	if _, err := holder.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	db, err := openSQLite(t, path, persist.CheckFull)
	if err != nil || db.Damage() != nil || count(t, db) != 500 {
		t.Errorf("%v; want the store as it was", err)
	}
}

// A writer that waits for another process gives up in time, and says so.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filled(t)
	db := open(t, path)
	holder, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	holder.SetMaxOpenConns(1)
	if _, err := holder.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	err = db.Update(t.Context(), persisttest.Answer(itemID(0), "x"))
	if took := time.Since(begin); !errors.Is(err, gate.ErrStoreUnavailable) || took > 30*time.Second {
		t.Errorf("%v after %s; want ErrStoreUnavailable", err, took)
	}
	if n := count(t, db); n != 500 {
		t.Errorf("%d items while another writes", n)
	}
	if _, err := holder.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	update(t, db, persisttest.Answer(itemID(0), "y"))
}

// A process whose file was moved does not go on with it beside others.
func TestMovedFile(t *testing.T) {
	path := filled(t)
	old := open(t, path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := old.Update(t.Context(), persisttest.Answer(itemID(0), "x")); !errors.Is(err, gate.ErrStoreUnavailable) {
			t.Errorf("%v; want ErrStoreUnavailable", err)
		}
		if db, err := openSQLite(t, path, persist.CheckQuick); err != nil {
			t.Fatal(err)
		} else {
			db.Close()
		}
	}
}

func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o022} {
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			dir := filepath.Join(t.TempDir(), "a", "b")
			path := filepath.Join(dir, "gate ? % # é.db")
			db := open(t, path)
			addItems(t, db, 1)
			for name, want := range map[string]fs.FileMode{
				dir: 0o700, filepath.Dir(dir): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
			} {
				info, err := os.Stat(name)
				if err != nil {
					t.Error(err)
				} else if info.Mode().Perm() != want {
					t.Errorf("umask %#o: %s has mode %#o; want %#o", umask, filepath.Base(name), info.Mode().Perm(), want)
				}
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 4 {
				t.Errorf("%d files, %v; want 4", len(entries), err)
			}
		}()
	}
}

// A file that others could read is closed to them.
func TestModeOfOldFile(t *testing.T) {
	path := filled(t)
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %#o, %v; want 0600", info.Mode().Perm(), err)
	}
}

func TestFileOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can give a file away; the rule is tested where tests run as root")
		return
	}
	path := filled(t)
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if _, err := openSQLite(t, path, persist.CheckQuick); !errors.Is(err, persist.ErrUnsafeFile) {
		t.Errorf("%v; want ErrUnsafeFile", err)
	}
	if !bytes.Equal(read(t, path), before) {
		t.Error("the file was changed")
	}
}

// Settings that durability depends on, read back from a connection's own file.
func TestWriteAheadLog(t *testing.T) {
	path := filled(t)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var mode string
	var id int
	err = errors.Join(db.QueryRow("PRAGMA journal_mode").Scan(&mode), db.QueryRow("PRAGMA application_id").Scan(&id))
	if err != nil || mode != "wal" || id != 0x504c4754 {
		t.Errorf("journal %q, application %#x, %v", mode, id, err)
	}
}
