// The program validates the widgets of its input, a JSON document, and prints the errors and the probes.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/widgets/harnessmutants"
	"example.com/widgets/validation"
)

func main() {
	var input struct {
		New, Old *validation.Widget
		Status   bool
		Options  validation.Options
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	if input.Status {
		fmt.Println(validation.ValidateWidgetStatusUpdate(input.New, input.Old))
	} else if input.Old != nil {
		fmt.Println(validation.ValidateWidgetUpdate(input.New, input.Old, input.Options))
	} else {
		fmt.Println(validation.ValidateWidget(input.New, input.Options))
	}
	fmt.Println(harnessmutants.TakeReached())
}
