package gate

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/plangate/plangate"
)

// digestVersion is part of every digest, so that another way to make one can never
// give the same.
const digestVersion = "plangate-call-1"

// digest names exactly what is to run (spec GAT-9): provider, operation, kind, risk
// and input. Two inputs have the same digest if and only if they are the same JSON
// value.
func digest(call *plangate.Call, kind plangate.Kind, risk plangate.Risk) (string, error) {
	input, err := canonical(call.Input)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range []string{digestVersion, call.Provider, call.Operation, kind.String(), risk.String(), string(input)} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // lengths keep the parts apart
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// canonical returns an input in the form of RFC 8785. That form writes numbers as
// IEEE doubles, so that different numbers could become one; an input with a number
// that would change is taken as it is written.
func canonical(input json.RawMessage) ([]byte, error) {
	if len(input) == 0 {
		return nil, nil
	}
	if err := plangate.CheckJSON(input); err != nil {
		return nil, err
	}
	if input[firstByte(input)] != '{' {
		return nil, errors.New("the input is not a JSON object")
	}
	exact, err := numbersAreDoubles(input)
	if err != nil {
		return nil, err
	}
	if !exact {
		return json.Marshal(input) // as a store writes it, so that it is the same when it is read back
	}
	return jcs.Transform(input)
}

func firstByte(input []byte) int {
	return len(input) - len(bytes.TrimLeft(input, " \t\r\n"))
}

// numbersAreDoubles reports whether every number is written so that a double
// prints as the same value.
func numbersAreDoubles(input []byte) (bool, error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if number, ok := token.(json.Number); ok && !isDouble(number.String()) {
			return false, nil
		}
	}
}

// longestNumber bounds the arithmetic on a number from outside.
const longestNumber = 40

// isDouble reports whether a number keeps its value when it is read as a double and
// written in the shortest way.
func isDouble(text string) bool {
	if len(text) > longestNumber {
		return false
	}
	double, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "eE") && (double == 0 || bigExponent(text)) {
		return false
	}
	written, ok := new(big.Rat).SetString(text)
	shortest, ok2 := new(big.Rat).SetString(strconv.FormatFloat(double, 'g', -1, 64))
	return ok && ok2 && written.Cmp(shortest) == 0
}

// bigExponent reports an exponent that would make an exact number of many digits.
func bigExponent(text string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	n, err := strconv.Atoi(exponent)
	return err != nil || n > 400 || n < -400
}

// newID returns 128 random bits as 26 lower-case letters and digits.
func newID() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits[:]))
}
