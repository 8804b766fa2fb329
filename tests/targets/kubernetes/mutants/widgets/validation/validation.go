// Package validation has a validator of each sort that the operators edit.
package validation // what follows a package clause stays behind it

import "example.com/widgets/field"

type Part struct {
	Name, Zone string
	Size       int
}

type Widget struct {
	Name  string
	Size  int
	Parts []Part
	Tags  []string
}

type Options struct{ AllowEmptyName bool }

const maxSize = 10

type checker struct{ path *field.Path }

func ValidateWidget(w *Widget, opts Options) field.ErrorList {
	var errs field.ErrorList
	if len(w.Name) == 0 && !opts.AllowEmptyName {
		errs = append(errs, field.Required(field.NewPath("name"), "").MarkCoveredByDeclarative())
	}
	if w.Size > maxSize {
		errs = append(errs, field.Invalid(field.NewPath("size"), w.Size, "").WithOrigin("maximum"))
	}
	errs = append(errs, (&checker{field.NewPath("parts")}).validateParts(w.Parts)...)
	if len(w.Tags) == 0 {
		for range w.Tags {
		}
		errs = append(errs, field.Required(field.NewPath("tags"), ""))
	}
	return errs
}

func (c *checker) validateParts(parts []Part) (errs field.ErrorList) {
	seen := nameSet{}
	for i, part := range parts {
		if seen.Has(part.Name) {
			errs = append(errs, field.Duplicate(c.path.Index(i).Child("name"), part.Name))
		}
		seen.Insert(part.Name)
		use(part.Zone)
	}
	return
}

func ValidateWidgetUpdate(w, old *Widget, opts Options) field.ErrorList {
	errs := ValidateWidget(w, opts)
	if w.Size != old.Size {
		errs = append(errs, sizes[int](w.Size)...)
	}
	for i := range w.Parts {
		if i < len(old.Parts) && w.Parts[i].Size != old.Parts[i].Size {
			errs = append(errs, field.Invalid(field.NewPath("parts").Index(i), "", "immutable"))
		}
	}
	return errs
}

func ValidateWidgetStatusUpdate(w, old *Widget) field.ErrorList {
	var errs field.ErrorList
	if w.Size < 0 {
		errs = append(errs, field.Invalid(field.NewPath("status"), w.Size, ""))
	}
	return errs
}

func sizes[T ~int](size T, more ...string) field.ErrorList {
	if size < 3 {
		return field.ErrorList{field.Invalid(field.NewPath("small"), size, "")}
	}
	return nil
}

func unnamed(string, int) bool { return 1 < 2 }

func use(_ string) {}

type nameSet map[string]bool

func (s nameSet) Has(name string) bool { return s[name] }
func (s nameSet) Insert(name string)   { s[name] = true }
