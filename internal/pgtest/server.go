package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Times of a server.
const (
	startTime = 60 * time.Second
	stopTime  = 30 * time.Second
	askEvery  = 20 * time.Millisecond
)

// errMissing says what to do if there is no server.
var errMissing = errors.New("pgtest: there is no PostgreSQL server on this machine; install it " +
	"(Debian: apt-get install postgresql) or set PLANGATE_TEST_POSTGRES")

// Server is a private PostgreSQL server.
type Server struct {
	dir  string // of the data and the log
	bin  string
	port int
	run  *exec.Cmd
	done chan struct{} // closed when run has ended
}

// Start returns a running server that ends with the test. It syncs to disk, so that
// it may be killed.
func Start(t testing.TB) *Server {
	t.Helper()
	server, err := newServer()
	if err != nil {
		giveUp(t, err)
	}
	t.Cleanup(server.remove)
	if err := server.start("fsync=on"); err != nil {
		t.Fatal(err)
	}
	return server
}

// giveUp ends a test without a server: a machine without PostgreSQL skips it, unless
// every test is required.
func giveUp(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("PLANGATE_TEST_ALL") == "" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// DSN is the URL of the database postgres on the server.
func (s *Server) DSN() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.port)
}

// Stop ends the server as an administrator would: connections are cut, their
// transactions rolled back.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.end(t, syscall.SIGINT)
}

// Kill ends the server at once, without any clearing up. It recovers at the next
// start.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.end(t, syscall.SIGQUIT)
}

// Restart starts the server after Stop or Kill, on the same port.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.start("fsync=on"); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) end(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := s.signal(signal); err != nil {
		t.Fatal(err)
	}
}

// signal ends the server and waits for it.
func (s *Server) signal(signal syscall.Signal) error {
	if err := s.run.Process.Signal(signal); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	select {
	case <-s.done:
		return nil
	case <-time.After(stopTime):
		return fmt.Errorf("pgtest: the server does not end: %s", s.log())
	}
}

// newServer prepares the data of a server.
func newServer() (*Server, error) {
	bin, err := newest()
	if err != nil {
		return nil, err
	}
	// The number of the process tells Main which directories nobody uses any more.
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("pgtest: %w", err)
	}
	s := &Server{dir: dir, bin: bin}
	if err := s.init(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func (s *Server) init() error {
	if err := give(s.dir); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(s.bin, "initdb"), "--pgdata", s.data(), "--auth", "trust", //nolint:gosec // from the list of newest
		"--username", "postgres", "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions")
	initdb.Dir = s.dir
	if err := asServer(initdb); err != nil {
		return err
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: initdb: %w: %s", err, out)
	}
	port, err := freePort()
	s.port = port
	return err
}

// start starts the server and waits until it answers.
func (s *Server) start(setting string) error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer log.Close()
	s.run = exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", strconv.Itoa(s.port), //nolint:gosec // as above
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.dir, "-c", "max_connections=200", "-c", setting)
	s.run.Dir, s.run.Stdout, s.run.Stderr = s.dir, log, log
	if err := asServer(s.run); err != nil {
		return err
	}
	s.done = make(chan struct{})
	started := make(chan error)
	go supervise(s.run, started, s.done)
	if err := <-started; err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	return s.wait()
}

// wait returns when the server answers.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			return fmt.Errorf("pgtest: the server ended: %s", s.log())
		case <-ctx.Done():
			return fmt.Errorf("pgtest: the server does not answer: %w: %s", err, s.log())
		case <-time.After(askEvery):
		}
	}
}

// remove ends the server, if it runs, and removes its data.
func (s *Server) remove() {
	if s.run != nil {
		_ = s.signal(syscall.SIGQUIT)
	}
	_ = os.RemoveAll(s.dir)
}

func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// log returns the end of the server's log.
func (s *Server) log() []byte {
	text, _ := os.ReadFile(s.logFile())
	return bytes.TrimSpace(text[max(0, len(text)-2000):])
}

// newest returns the directory of the programs of the newest server.
func newest() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errMissing
	}
	return filepath.Dir(path), nil
}

// version is the number in /usr/lib/postgresql/15/bin/postgres.
func version(program string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(program))))
	return n
}

// freePort returns a port that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("pgtest: %w", err)
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("pgtest: %s has no port", listener.Addr())
	}
	return address.Port, nil
}
