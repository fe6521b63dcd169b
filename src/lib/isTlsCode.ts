/** Whether a Node error code says that TLS could not be agreed on or the certificate not be trusted. */
export function isTlsCode(code: string): boolean {
  return /CERT|^ERR_(SSL|TLS)_|^EPROTO$|^UNABLE_TO_|SELF_SIGNED|^HOSTNAME_MISMATCH$|^CRL_/.test(code)
}
