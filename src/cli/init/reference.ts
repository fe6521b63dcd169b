import { isIP } from 'node:net'
import { cleanText } from '../../lib/text.ts'
import type { Io } from '../io.ts'
import { usage } from '../readOptions.ts'

/** A value that is written into the file as it is, or as the name of the variable that holds it. */
export interface Reference {
  /** As it stands in the file. */
  readonly written: string
  /** The variable that it is read from; null for a value that is no secret. */
  readonly variable: string | null
  /** Null while the variable is not set. */
  readonly value: string | null
}

const variableForm = /^(?:\$\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z][A-Z0-9_]*))$/

/**
 * The name of a variable of the environment, as `${NAME}` or `NAME`. A secret itself is refused without being repeated.
 * @throws MonitorError `usage`
 */
export function readVariable(
  { env }: Pick<Io, 'env'>,
  text: string,
  { what, example }: { readonly what: string; readonly example: string },
): Reference {
  const found = findVariable(env, text)
  if (found !== null) return found
  throw usage(
    `${what}: expected the name of an environment variable, such as '\${${example}}': what it holds is a secret, and does not belong into a file`,
  )
}

/**
 * An address, or the name of the variable that holds it. One that seems to hold a key is refused without being repeated.
 * @throws MonitorError `usage`
 */
export function readPlace(
  { env }: Pick<Io, 'env'>,
  text: string,
  { what, example }: { readonly what: string; readonly example: string },
): Reference {
  const found = findVariable(env, text)
  if (found !== null) return found
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage(`${what}: expected an http or https address, or '\${NAME}' of a variable that holds one`)
  if (!seemsSecret(url)) return { written: text.replaceAll('${', '$${'), variable: null, value: text }
  throw usage(
    `${what}: the address of ${cleanText(url.host, 80)} seems to hold a key: put it into an environment variable and give '\${${example}}'`,
  )
}

function findVariable(env: Io['env'], text: string): Reference | null {
  const [, braced, bare] = variableForm.exec(text.trim()) ?? []
  const variable = braced ?? bare
  if (variable === undefined) return null
  return { written: `\${${variable}}`, variable, value: env[variable] || null }
}

/** Keys stand in the query, before the host, or as a long word of the path. */
function seemsSecret({ username, password, search, pathname, hostname }: URL): boolean {
  if (username !== '' || password !== '' || search !== '') return true
  const isOwn = hostname === 'localhost' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  return !isOwn && pathname.split('/').some((word) => word.length >= 16)
}
