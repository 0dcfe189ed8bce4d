package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// IsGenuineDelivery reports whether a webhook delivery is genuine. Pass the raw body, before any JSON decoding, and the
// value of the header X-Service-Signature. Respond with 401 if it returns false.
func IsGenuineDelivery(body []byte, signature string, secret string) bool {
	if secret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	// Only the exact lower-case form matches; a signature of another length never does.
	return hmac.Equal([]byte(signature), []byte(expected))
}
