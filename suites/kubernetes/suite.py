"""The real validators of a Kubernetes release, one item per kind, version and operation.

The release is set here and nowhere else; `pytest suites/kubernetes --kubernetes 1.36.3` takes another one.
"""

from __future__ import annotations

from harness.suite import KubernetesSuite

SUITE = KubernetesSuite(release="1.37.1")
