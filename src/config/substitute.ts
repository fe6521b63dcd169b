import { resolve as inFolder } from 'node:path'
import { errorText } from '../lib/errors.ts'
import { suggest } from '../lib/nearest.ts'
import { Secret } from '../lib/secret.ts'
import { problemAt, type YamlDoc, type YamlPath, type YamlProblem } from '../lib/yamlProblems.ts'
import type { ConfigFiles } from './nodeFiles.ts'
import { secretPlaces } from './secretPlaces.ts'

export interface ReferenceDeps {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: ConfigFiles
  /** The configuration's: where what `${file:…}` names begins. */
  readonly folder: string
  /** The sections that are used now; all without it. Of others what they refer to may be missing: a placeholder stands in. */
  readonly needs: readonly string[] | undefined
}

const maxReferencedBytes = 65_536
/** No secret: stands for what is not there, in sections that are not used. */
const placeholder = 'not-set-here'

export function isPlaceholder(value: string): boolean {
  return value.includes(placeholder)
}

export interface Substituted {
  readonly data: unknown
  readonly problems: readonly YamlProblem[]
  /** What references brought to the places where secrets stand. */
  readonly secrets: readonly Secret[]
  readonly warnings: readonly YamlProblem[]
}

/**
 * Puts `${NAME}` and `${file:/run/secrets/x}` into scalars that were parsed already: what they bring is text, whatever
 * it looks like as YAML. `$${` is a plain `${`.
 */
export function substitute(deps: ReferenceDeps, doc: YamlDoc, data: unknown): Substituted {
  const problems: YamlProblem[] = []
  const warnings: YamlProblem[] = []
  const secrets: Secret[] = []
  const replace = (value: unknown, path: YamlPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => replace(item, [...path, index]))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, replace(item, [...path, key])]),
      )
    }
    if (typeof value !== 'string' || !value.includes('${')) return value
    const isSecret = secretPlaces.isSecret(path.filter((step) => typeof step === 'string'))
    return value.replace(/\$\$\{|\$\{([^}]*)\}?/g, (whole: string, name: string | undefined) => {
      if (name === undefined) return '${'
      const found = resolve(deps, whole.endsWith('}') ? name : null)
      if (found.ok) {
        if (isSecret) secrets.push(new Secret(found.value))
        if (
          isSecret &&
          name.startsWith('file:') &&
          deps.files.isOpenToAll?.(inFolder(deps.folder, name.slice('file:'.length)))
        ) {
          const message = `every user of this machine can read ${name.slice('file:'.length)}: take that away with chmod o-r`
          warnings.push(problemAt(doc, path, message))
        }
        return found.value
      }
      if (deps.needs?.includes(String(path[0])) === false)
        return whole === value ? placeholderFor(path) : placeholder
      problems.push(problemAt(doc, path, found.message))
      return ''
    })
  }
  return { data: replace(data, []), problems, warnings, secrets }
}

/** One that its place takes for well-formed. */
function placeholderFor(path: YamlPath): string {
  const key = path.at(-1)
  if (key === 'smtp') return `smtp://${placeholder}.invalid`
  return key === 'url' || key === 'baseUrl' ? `https://${placeholder}.invalid` : placeholder
}

type Resolved =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string }

function resolve(deps: ReferenceDeps, name: string | null): Resolved {
  if (name === null) return { ok: false, message: 'expected `}` after `${`' }
  if (name.startsWith('file:')) return resolveFile(deps, name.slice('file:'.length))
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return { ok: false, message: 'expected ${NAME} or ${file:/path/to/file}; write $${ for a plain ${' }
  }
  const value = deps.env[name]
  if (value === undefined) {
    const hint = suggest(name, Object.keys(deps.env))
    return { ok: false, message: `the environment variable ${name} is not set${hint}` }
  }
  return value === ''
    ? { ok: false, message: `the environment variable ${name} is empty` }
    : { ok: true, value }
}

function resolveFile(deps: ReferenceDeps, path: string): Resolved {
  try {
    const value = deps.files.readFile(inFolder(deps.folder, path), maxReferencedBytes).replace(/\r?\n$/, '')
    return value === '' ? { ok: false, message: `the file ${path} is empty` } : { ok: true, value }
  } catch (error) {
    return { ok: false, message: `the file ${path} cannot be read: ${errorText(error)}` }
  }
}
