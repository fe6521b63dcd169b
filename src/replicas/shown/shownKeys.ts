import { type Change, readChangeset } from '../../store/changeLog.ts'
import { type ChangedRows, changedRows, type KeyValue } from './changedRows.ts'
import type { ShownKeys, ShownReader } from './rows.ts'

/** Of more than this the rows of one change are written by themselves. */
const mostKeys = 500

/** What changes touch of what is shown: of as many of them as fit, the first in any case. */
export function listShownKeys(
  changes: readonly Change[],
  reader: Pick<ShownReader, 'casesOf'>,
): { readonly keys: ShownKeys; readonly until: number } {
  const keys = {
    transfers: new Set<number>(),
    cases: new Set<number>(),
    alerts: new Set<number>(),
    days: new Set<string>(),
  }
  let until = 0
  for (const { seq, body } of changes) {
    const changed = changedRows(readChangeset({ seq, body }))
    for (const key of numbersOf(changed, 'transfers')) keys.transfers.add(key)
    for (const key of numbersOf(changed, 'cases')) keys.cases.add(key)
    for (const alert of [...numbersOf(changed, 'alerts'), ...numbersOf(changed, 'case_members')]) {
      keys.alerts.add(alert)
      for (const key of reader.casesOf(alert)) keys.cases.add(key)
    }
    for (const [day] of changed.get('reports') ?? []) if (isDay(day)) keys.days.add(day)
    until = seq
    if (keys.transfers.size + keys.cases.size + keys.alerts.size >= mostKeys) break
  }
  return { keys, until }
}

/** Reports of weeks and months are named otherwise. */
export function isDay(name: KeyValue | undefined): name is string {
  return typeof name === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(name)
}

/** The first part of each key is the number that the row goes by. */
function numbersOf(changed: ChangedRows, table: string): number[] {
  return (changed.get(table) ?? []).flatMap(([key]) => (typeof key === 'number' ? [key] : []))
}
