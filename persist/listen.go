package persist

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Times of the listener.
const (
	// pollEvery is how often changes of others are looked for where nobody tells of
	// them.
	pollEvery = time.Second
	// quietTime is how long a listener hears nothing before it asks whether its
	// connection still lives.
	quietTime = 15 * time.Second
	// answerTime is how long it waits for the answer.
	answerTime = 3 * time.Second
)

// listener hears of changes of other processes in PostgreSQL. Nothing but promptness
// depends on it.
type listener struct{ config *pgx.ConnConfig }

// errDeaf means that notifications do not arrive although LISTEN may have worked:
// the database ignores it, or a proxy hands every statement to another connection.
var errDeaf = errors.New("persist: the database sends no notifications")

// follow listens until ctx ends. A broken connection is made again.
func (l listener) follow(ctx context.Context, wake func()) {
	for n := 1; ; n++ {
		heard := false
		err := l.listen(ctx, func() {
			heard = true
			wake()
		})
		if errors.Is(err, errDeaf) {
			poll(ctx, wake)
			return
		}
		if heard {
			n = 1
		}
		if !pause(ctx, n) {
			return
		}
	}
}

// poll wakes once per second.
func poll(ctx context.Context, wake func()) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			wake()
		}
	}
}

// listen hears on one connection until it breaks. It wakes at once, because there may
// have been changes before it.
func (l listener) listen(ctx context.Context, wake func()) error {
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if err := hears(ctx, conn); err != nil {
		return err
	}
	for {
		wake()
		for quiet := true; quiet; {
			if quiet, err = hear(ctx, conn); err != nil {
				return err
			}
		}
	}
}

// hears starts listening and sends itself a notification to see that it arrives.
func hears(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var server *pgconn.PgError
	for _, statement := range []string{"LISTEN " + channel, postgresDialect.notify} {
		if _, err := conn.Exec(ctx, statement); errors.As(err, &server) && server.SeverityUnlocalized == "ERROR" {
			return errDeaf
		} else if err != nil {
			return err
		}
	}
	_, err := conn.WaitForNotification(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errDeaf
	}
	return err
}

// hear waits for a notification. It is quiet if none came and the connection lives.
func hear(ctx context.Context, conn *pgx.Conn) (quiet bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, quietTime)
	defer cancel()
	_, err = conn.WaitForNotification(waiting)
	if err == nil || ctx.Err() != nil || waiting.Err() == nil {
		return false, err
	}
	asking, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return true, conn.Ping(asking)
}
