import { readFileSync } from 'node:fs'
import { errorText, MonitorError } from '../lib/errors.ts'

/** Who signs PostgreSQL's certificate, as PEM. @throws MonitorError `config.invalid` */
export function readCa(path: string | null): string | null {
  if (path === null) return null
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new MonitorError('config.invalid', `replicas.ca cannot be read: ${errorText(error)}`, {
      cause: error,
    })
  }
}
