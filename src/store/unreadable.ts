import { MonitorError } from '../lib/errors.ts'
import { DamagedLedger } from './damage.ts'

/** A row that holds what is never written there, in a file that is whole otherwise. `place` names table, row and column. */
export function toUnreadable(place: string, problem: string, cause?: unknown): MonitorError {
  return new MonitorError('state.invalid', `The ledger cannot be read: ${place}: ${problem}.`, {
    details: { place },
    ...(cause !== undefined && { cause }),
  })
}

/** Where the row is that cannot be read; null when the error says something else. */
export function placeOfUnreadable(error: unknown): string | null {
  if (!(error instanceof MonitorError) || error instanceof DamagedLedger) return null
  const { place } = error.details
  return error.code === 'state.invalid' && place !== undefined ? String(place) : null
}

/** The table that a query reads, for an error. What only spells numbers out as names is not what it is about. */
export function tableOf(sql: string): string {
  const found = [...sql.matchAll(/\b(?:FROM|INTO|UPDATE) (\w+)/g)].map(([, name]) => name)
  const name = found.find((one) => one !== 'names') ?? found[0]
  return name === undefined ? 'a query' : `a query of ${name}`
}
