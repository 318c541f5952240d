"""A club's own certificate authority: made once, able to speak for this machine in its own network and for nobody else.

Whoever gets hold of its key can pretend to be this machine to tablets that trust it, and nothing more: the names and
addresses that it may certify stand in it, and browsers heed them.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from api.tls.errors import AuthorityUnusable
from ledger.stores.sqlite.files import refusals, sync

AUTHORITY_FOR: Final = timedelta(days=3650)
LEAF_FOR: Final = timedelta(days=90)
RENEWED_AT: Final = timedelta(days=30)
"""So long before its end a certificate is renewed, also while it serves."""

_WRONG_CLOCKS: Final = timedelta(days=1)
"""A tablet's clock may be behind."""

_NETWORKS: Final = tuple(
    ip_network(found)
    for found in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "fc00::/7",
                  "fe80::/10", "::1/128")
)  # fmt: skip
"""Private addresses: those that nobody outside the house has."""

_Address: TypeAlias = IPv4Address | IPv6Address


class Authority:
    """The authority in a folder of its own, which no backup copies."""

    def __init__(self, folder: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self._folder = folder
        self._key = key
        self._certificate = certificate

    @property
    def der(self) -> bytes:
        return self._certificate.public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self) -> str:
        """Return what a certificate is recognised by, as systems show it."""
        return self._certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    @property
    def leaf_files(self) -> tuple[Path, Path]:
        return self._folder / "server.pem", self._folder / "server.key"

    def may_speak_for(self, name: str) -> bool:
        """Return whether it may certify a name or an address."""
        address = _address(name)
        if address is not None:
            return any(address in network for network in _NETWORKS if network.version == address.version)
        found = self._certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        allowed = [tree.value for tree in found.permitted_subtrees or () if isinstance(tree, x509.DNSName)]
        return any(name == base or name.endswith(f".{base}") for base in allowed)

    def issue(self, names: Iterable[str], now: datetime) -> datetime:
        """Certify this machine under those of its names that may be; return when that must be renewed."""
        able = list(dict.fromkeys(name for name in (*names, "localhost", "127.0.0.1", "::1")
                                  if self.may_speak_for(name)))  # fmt: skip
        key = ec.generate_private_key(ec.SECP256R1())
        end = min(now + LEAF_FOR, self._certificate.not_valid_after_utc)
        found = (
            _certificate(_name("Kittybook, the server"), self._certificate.subject, key, now, end)
            .add_extension(x509.SubjectAlternativeName([_general(name) for name in able]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        certificate, key_file = self.leaf_files
        _write(key_file, _pem(key))
        _write(certificate, found.public_bytes(serialization.Encoding.PEM))
        return end - RENEWED_AT


def authority(folder: Path, names: Iterable[str], now: datetime) -> Authority:
    """Return the authority in a folder; make it there, for this machine's names, where there is none.

    Raises ``AuthorityUnusable`` where it cannot be read or has come to its end.
    """
    certificate_file, key_file = folder / "authority.pem", folder / "authority.key"
    with refusals(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        if not certificate_file.exists():
            _make(certificate_file, key_file, names, now)
    try:
        certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
        key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
    except (OSError, ValueError) as error:
        why = f"cannot be read ({error})"
        raise AuthorityUnusable(folder=str(folder), why=why) from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
        raise AuthorityUnusable(folder=str(folder), why="has a key that is not its own")
    if certificate.not_valid_after_utc - RENEWED_AT < now:
        raise AuthorityUnusable(
            folder=str(folder),
            why=f"ends on {certificate.not_valid_after_utc:%Y-%m-%d}; move it away, and a new one is made, which"
            " every tablet must be told to trust",
        )
    return Authority(folder, key, certificate)


def _make(certificate_file: Path, key_file: Path, names: Iterable[str], now: datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    bases = [name for name in dict.fromkeys((*names, "localhost")) if _address(name) is None]
    subject = _name(f"Kittybook at {socket.gethostname()}"[:64])
    permitted = [*map(x509.DNSName, bases), *map(x509.IPAddress, _NETWORKS)]
    public = key.public_key()
    found = (
        _certificate(subject, subject, key, now, now + AUTHORITY_FOR)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write(key_file, _pem(key))
    _write(certificate_file, found.public_bytes(serialization.Encoding.PEM))  # last: who has it has a key to it


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _WRONG_CLOCKS)
        .not_valid_after(end)
    )


def _usage(**given: bool) -> x509.KeyUsage:
    every = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{use: given.get(use, False) for use in every})


def _name(words: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])


def _general(name: str) -> x509.GeneralName:
    address = _address(name)
    return x509.DNSName(name) if address is None else x509.IPAddress(address)


def _address(name: str) -> _Address | None:
    with suppress(ValueError):
        return ip_address(name.strip("[]"))
    return None


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(file: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    with refusals(file):
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "wb") as out:
            out.write(content)
        sync(part)
        part.replace(file)
        sync(file.parent)
