package rules

import (
	"net/url"
	"strings"
)

// shellParts splits a text at the operators that CLIs split at, outside of quotes. A text with
// what CLIs treat as opaque is one part.
func shellParts(text string) []string {
	var parts []string
	var b strings.Builder
	var quote rune
	flush := func() {
		if part := strings.TrimSpace(b.String()); part != "" {
			parts = append(parts, part)
		}
		b.Reset()
	}
	for _, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote = r
			b.WriteRune(r)
		case strings.ContainsRune("&|;\n", r):
			flush()
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return parts
}

// hostMatches compares the host of a URL with a domain, or with *.domain.
func hostMatches(pattern, text string) bool {
	parsed, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := strings.ToLower(parsed.Hostname())
	pattern = strings.ToLower(pattern)
	if domain, ok := strings.CutPrefix(pattern, "*."); ok {
		return host == domain || strings.HasSuffix(host, "."+domain)
	}
	return host == pattern
}
