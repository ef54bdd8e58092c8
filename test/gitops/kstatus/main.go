// kstatus reads objects from standard input, one JSON document after the other (a List counts as its items), and prints for each what
// kstatus makes of it: KIND/NAME, a tab, the status, a tab, the message.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func show(object *unstructured.Unstructured) error {
	result, err := status.Compute(object)
	if err != nil {
		return err
	}
	message := strings.ReplaceAll(result.Message, "\n", " ")
	fmt.Printf("%s/%s\t%s\t%s\n", object.GetKind(), object.GetName(), result.Status, message)
	return nil
}

func run(input io.Reader) error {
	documents := json.NewDecoder(input)
	for {
		var document json.RawMessage
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(document); err != nil { // keeps whole numbers whole, as kstatus wants them
			return err
		}
		if !object.IsList() {
			if err := show(object); err != nil {
				return err
			}
			continue
		}
		list, err := object.ToList()
		if err != nil {
			return err
		}
		for i := range list.Items {
			if err := show(&list.Items[i]); err != nil {
				return err
			}
		}
	}
}

func main() {
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "kstatus:", err)
		os.Exit(1)
	}
}
