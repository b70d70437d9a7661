package eval

import "crypto/sha256"

// reseal gives arbitrary bytes a valid header and checksum, so that fuzzing
// reaches what is behind them.
func reseal(payload []byte) []byte {
	out := append([]byte(encodingMagic), encodingVersion)
	out = append(out, make([]byte, sha256.Size)...)
	out = append(out, payload...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}
