// Package pgtest gives tests a real PostgreSQL server of their own.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	dsn := pgtest.Database(t)        // a fresh database on a server shared by the test binary
//	server := pgtest.Start(t)        // a server that the test may stop and kill
//
// A server is started from the newest PostgreSQL of this machine's packages, in a
// temporary directory, on a free port of 127.0.0.1; nothing else is touched.
// If there is no PostgreSQL the test is skipped and says what to install; with the
// environment variable PLANGATE_TEST_ALL set, as in .ci/run, it fails. As root the server runs as the user postgres.
//
// The environment variable PLANGATE_TEST_POSTGRES may name a server to be used for
// [Database] instead. Its user must be allowed to create databases. [Start] always
// starts one.
//
// On Linux a server ends with the test binary, however that ends. Main removes the
// directory of the shared server, and those which killed test binaries left.
//
// All functions may be used by several tests at once; a Server by one.
package pgtest
