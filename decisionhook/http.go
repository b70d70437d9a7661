package decisionhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

const (
	maxIdleTime    = 30 * time.Second // of a connection
	maxHeaderBytes = 64 << 10
)

// HTTPOptions are for an HTTP hook. The zero value is fine.
type HTTPOptions struct {
	// Header is sent with each question, such as an Authorization.
	Header http.Header
	// TLS replaces the defaults of crypto/tls.
	TLS *tls.Config
}

type endpoint struct {
	url    string
	header http.Header
	client *http.Client
}

// HTTP returns an asker that sends each question as a POST to an absolute URL. The answer is
// the body of a response with a status of 200 to 299; any other status is an error, as is a
// redirect, which is never followed. A question has these headers besides the given ones:
// Content-Type, Accept, Idempotency-Key ([Question.Key]) and Plangate-Deadline (RFC 3339).
//
// The URL is https, or http with a host that is this machine: localhost or a loopback address, where the
// connection must really lead. A user or fragment in it is refused. Proxies of the environment are
// not used, because they would see the arguments of every call. Errors do not repeat the
// URL's query, which may be a secret. The error is about the arguments.
func HTTP(target string, opts HTTPOptions) (Asker, error) {
	parsed, err := url.Parse(target)
	switch {
	case err != nil:
		return nil, errors.New("decisionhook: the URL cannot be parsed; write one such as https://host/path")
	case parsed.Scheme != "https" && parsed.Scheme != "http", parsed.Hostname() == "":
		return nil, errors.New("decisionhook: the URL is not an absolute one with https or http")
	case parsed.User != nil, parsed.Fragment != "":
		return nil, errors.New("decisionhook: the URL has a user or a fragment; send secrets in a header")
	case parsed.Scheme == "http" && !namesThisMachine(parsed.Hostname()):
		return nil, fmt.Errorf("decisionhook: %.200q is another machine, and http would send it "+
			"the arguments of every call in the clear; use https", parsed.Hostname())
	}
	return &endpoint{target, opts.Header.Clone(), newClient(parsed.Scheme, opts.TLS)}, nil
}

func namesThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func newClient(scheme string, config *tls.Config) *http.Client {
	dialer := &net.Dialer{}
	if scheme == "http" {
		dialer.Control = onlyLoopback
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        config.Clone(),
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        maxIdleTime,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// onlyLoopback refuses to connect anywhere else, whatever localhost resolves to.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is not this machine", host)
	}
	return nil
}

// Ask implements [Asker].
func (e *endpoint) Ask(ctx context.Context, q Question) (Answer, error) {
	question, err := q.encode()
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(question))
	if err != nil {
		return Answer{}, errors.New("decisionhook: the URL cannot be used")
	}
	for name, values := range e.header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Idempotency-Key", q.Key())
	if !q.Deadline.IsZero() {
		request.Header.Set("Plangate-Deadline", deadlineText(q.Deadline))
	}
	body, err := e.exchange(request)
	if err != nil {
		return Answer{}, fmt.Errorf("decisionhook: %s %.200q: %w", http.MethodPost, request.URL.Host, withoutURL(err))
	}
	return ParseAnswer(body)
}

func (e *endpoint) exchange(request *http.Request) ([]byte, error) {
	response, err := e.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, fmt.Errorf("status %d is no answer", response.StatusCode)
	}
	// One byte more shows that there is more; ParseAnswer reports it.
	return io.ReadAll(io.LimitReader(response.Body, MaxAnswerBytes+1))
}

// withoutURL takes the URL out of an error.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
