import type { Io } from './io.ts'
import { usage } from './readOptions.ts'

/** An address, or the variable that holds it: whoever lists the processes of this machine sees no password then. */
export function readDatabaseOption({ env }: Pick<Io, 'env'>, option: string): string {
  const name = /^\$\{(\w+)\}$/.exec(option)?.[1]
  const url = name === undefined ? option : env[name]
  if (url === undefined) throw usage(`--database: the variable ${name} is not set`)
  return url
}
