"""Go declarations from which lint rules build their `good` and `bad` examples; `@` is where the two differ."""

S = 'type S struct {\n\t// +k8s:required\n\tN string `json:"n"`\n}\n\n'
"""A struct that the fields of `T` can have as their type."""
UNION = """type T struct {
	// +k8s:optional
	// +k8s:unionMember
	A @ `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B *string `json:"b"`
}
"""
UNION_BY_KIND = """type Kind string

const (
	KindA Kind = "A"
	KindB Kind = "B"
)

type T struct {
	// +k8s:unionDiscriminator
	// +k8s:@
	D Kind `json:"d"`
	// +k8s:optional
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:unionMember(memberName: "B")
	Other *string `json:"other"`
}
"""
STATUS_TAG = '// +k8s:supportsSubresource="/status"\n'
ROOTS = """{0}type T struct {{
	// +k8s:optional
	Status *S `json:"status"`
}}

// +k8s:supportsSubresource={1}
type U struct {{
	// +k8s:optional
	Status *S `json:"status"`
}}

// +k8s:validation-gen=false
type S struct {{
	// +k8s:required
	Phase string `json:"phase"`
}}
"""
TWO_VERSIONS = """type T struct {
	// +k8s:required
	// @
	A string `json:"a"`
}

package v2

type T struct {
	// +k8s:required
	// +k8s:beta=+k8s:maxLength=9
	A string `json:"a"`
}
"""
STRATEGY = """import (
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/api"
)

func (s) DeclarativeValidationConfig(_ context.Context, obj, _ runtime.Object) rest.DeclarativeValidationConfig {{
	_ = obj.(*api.T)
	return rest.DeclarativeValidationConfig{{{}}}
}}
"""
"""What the strategy of `T` passes to declarative validation."""
_MODE = """type T struct {
	// +k8s:required
	// +k8s:modeDiscriminator
	D string `json:"d"`
	// @
	F GO `json:"f"`
}
"""


def field_of(tags: str, go: str, before: str = "") -> str:
    """Return a root `T` whose field `f` has these tags, one per line, and the type `go`."""
    lines = "".join(f"\t// {tag}\n" for tag in tags.split("\n"))
    return f'{before}type T struct {{\n{lines}\tF {go} `json:"f"`\n}}\n'


def mode_of(tags: str, go: str) -> str:
    """Return a root `T` whose field `f` has these tags and the type `go`, and whose field `d` is the discriminator."""
    return _MODE.replace("@", tags.replace("\n", "\n\t// ")).replace("GO", go)
