package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// IsGenuineDelivery tells whether a webhook delivery is genuine. Give it the body as it arrived, before any JSON
// decoder touches it, and the value of the header X-Service-Signature. Answer 401 when it is false.
func IsGenuineDelivery(body []byte, signature string, secret string) bool {
	if secret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	// Only the exact lower-case form is equal; a signature of another length never is.
	return hmac.Equal([]byte(signature), []byte(expected))
}
