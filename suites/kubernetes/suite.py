"""The real validators of a Kubernetes release, one item per kind, version and operation.

`harness run suites/kubernetes` asks this release; pytest asks one only when told to:
`pytest suites/kubernetes --kubernetes 1.37.1`.
"""

from __future__ import annotations

from harness.suite import KubernetesSuite

SUITE = KubernetesSuite(release="1.37.1")
