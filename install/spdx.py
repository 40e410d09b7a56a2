"""Describes the files of a release in SPDX 2.3: their checksums, and which
parts of other projects are inside, by the table in notices.py.

Tested by release_test.py.
"""

import re
import time
import urllib.parse
import uuid

import install
import notices
import package


def parts_of(name):
    """Returns the parts that are inside of the file with this name."""
    if name.endswith(".deb"):
        return (*notices.PARTS, notices.COMPILER)
    if name.endswith(".whl"):
        return (*notices.PARTS, *notices.WHEEL_PARTS)
    return notices.PARTS if name.startswith("libeyrie-") else ()


def relation(name, part):
    """Returns how the file with this name has the part. Wheels have some
    libraries as files of their own."""
    linked = part.linked and not name.endswith(".whl")
    return "STATIC_LINK" if linked else "CONTAINS"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^\w.]|_", "-", name)


def entry(name, version, licence, **fields):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version,
            "licenseDeclared": licence, "licenseConcluded": "NOASSERTION",
            "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, **fields}


def part_package(part, source):
    """Returns the package of a part, with the version that is built with."""
    if part in notices.WHEEL_PARTS:
        kind = "pypi"
        version = re.search(rf"{part.package}==([\d.]+)", install.read(
            source, "python/install.sh")).group(1)
    else:
        kind = "deb/debian"
        # The same version for each machine that it is installed for.
        version = package.output_of(
            "dpkg-query", "-W", "-f=${Version}\n", part.package).split("\n")[0]
    locator = f"pkg:{kind}/{part.package}@{urllib.parse.quote(version)}"
    return entry(part.name, version, part.licence, externalRefs=[{
        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
        "referenceLocator": locator}])


def document(sums, source):
    """Returns the description of the files, given as {name: SHA-256 in
    hexadecimal}."""
    version = install.version_of(source)
    packages, relations = {}, []

    def relate(one, kind, other):
        relations.append({"spdxElementId": one, "relationshipType": kind,
                          "relatedSpdxElement": other})
    for name, digest in sorted(sums.items()):
        packages[name] = entry(
            name, version, "Apache-2.0", packageFileName=name, checksums=[
                {"algorithm": "SHA256", "checksumValue": digest}])
        relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name))
        for part in parts_of(name):
            if part.name not in packages:
                packages[part.name] = part_package(part, source)
            relate(identifier(name), relation(name, part),
                   identifier(part.name))
    created = time.gmtime(install.epoch_of(source))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": f"eyrie-{version}",
        "documentNamespace": uuid.uuid5(
            uuid.NAMESPACE_OID, repr(sorted(sums.items()))).urn,
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created),
            "creators": [f"Tool: eyrie-release-{version}"]},
        "packages": list(packages.values()), "relationships": relations}
