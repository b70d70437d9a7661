package command

import "testing"

// TestHidden holds spec CMD-26.
func TestHidden(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          Answer
	}{
		{"git push", "nsenter -t 1 git push", Unknown},
		{"git push", "doppler run -- git push -f", Unknown},
		{"git push", "rsync -e 'git push' a b:", Unknown},
		{"git push", "tar --checkpoint-action='exec=git push' -cf x f", Unknown},
		{"git push", "sqlite3 x '.shell git push'", No},
		{"git push", `psql -c '\! git push'`, Unknown},
		{"git push", "vim x '+!git push'", Unknown},
		{"git push", "docker run x git push", Unknown},
		{"rm", "frob x rm", Unknown},
		{"rm", "git rm x", No},
		{"rm", "docker rm x", No},
		{"rm", "echo rm x", No},
		{"rm", "which rm", No},
		{"rm", "grep 'rm x' f", No},
		{"git push", "git commit -m 'git push later'", No},
		{"git push", "gh issue create --body 'never run git push -f'", No},
		{"git push", "git push", Yes},
		{"git push", "frob git pull", No},
	} {
		if got := matchAll(t, test.pattern, test.text, Restrictive); got != test.want {
			t.Errorf("%q on %q: got %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}
