import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate with its key, as PEM. */
export interface Certificate {
  readonly key: string
  readonly certificate: string
}

/** Certificates for `localhost`, all but one of them wrong, and the authority that the daemon trusts. */
export interface Certificates {
  /** Path of the authority's certificate. */
  readonly trusted: string
  readonly good: Certificate
  readonly expired: Certificate
  readonly wrongHost: Certificate
  readonly selfSigned: Certificate
  remove(): void
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-certificates-'))
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = (name: string): Certificate => ({
    key: readFileSync(path(`${name}.key`), 'utf8'),
    certificate: readFileSync(path(`${name}.pem`), 'utf8'),
  })
  const selfSign = (name: string, subject: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-days',
      '2',
      '-subj',
      `/CN=${subject}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    )
  const sign = (name: string, host: string, days: string) => {
    openssl('req', ...newKey, '-subj', `/CN=${host}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    writeFileSync(path(`${name}.ext`), `subjectAltName=DNS:${host}`)
    const authority = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial']
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...authority,
      '-days',
      days,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    )
    return made(name)
  }
  selfSign('authority', 'authority')
  selfSign('selfSigned', 'localhost')
  return {
    trusted: path('authority.pem'),
    good: sign('good', 'localhost', '2'),
    expired: sign('expired', 'localhost', '-1'),
    wrongHost: sign('wrongHost', 'other.example', '2'),
    selfSigned: made('selfSigned'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
