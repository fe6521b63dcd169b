import { type Dialect, parseDirection, spellField } from '../dialect.ts'
import type { Row } from '../plainRow.ts'
import { isFilled } from '../recordReader.ts'

type Side = 'main' | 'zone'

/** The keys of R14 that describe one chain. */
const sides: Readonly<Record<Side, readonly string[]>> = {
  main: ['mainTxHash', 'mainBlockHeight', 'mainBlockTime'],
  zone: ['zoneTxHash', 'zoneBlockHeight', 'zoneBlockTime', 'zoneEventIndex'],
}

/**
 * A transfer in flight shows nothing of the chain that it has not reached: those keys may be empty, and a service may
 * leave them out. They are missed where the record says anything else of that side, or has a hash under another word
 * than the dialect's, or where no row of an answer has them though another one should. While nothing has arrived, a
 * status may be empty too.
 */
export function createExcuses(
  dialect: Dialect,
): (field: string, row: Row, rows: readonly unknown[]) => boolean {
  const spelled = (name: string) => spellField(dialect, name)
  const hashKey = (side: Side) => spelled(side === 'main' ? 'mainTxHash' : 'zoneTxHash')
  const lost = new Set<Side>()
  let surveyed: readonly unknown[] | null = null

  const isTold = (row: Row, side: Side) => sides[side].some((name) => isFilled(row[spelled(name)]))
  const hasOtherWord = (row: Row) =>
    Object.keys(row).some(
      (key) => key.endsWith('TxHash') && key !== hashKey('main') && key !== hashKey('zone'),
    )
  const needs = (row: Row, side: Side) =>
    destinationOf(dialect, row) !== side || isTold(row, side) || hasOtherWord(row)

  function survey(rows: readonly unknown[]): void {
    if (rows === surveyed) return
    surveyed = rows
    const records = rows.filter((row): row is Row => typeof row === 'object' && row !== null)
    for (const side of ['main', 'zone'] as const) {
      if (records.some((row) => (row[hashKey(side)] ?? null) !== null)) lost.delete(side)
      else if (records.some((row) => needs(row, side))) lost.add(side)
    }
  }

  return (field, row, rows) => {
    survey(rows)
    const side = destinationOf(dialect, row)
    if (side === null || needs(row, side)) return false
    if (!isTold(row, side === 'main' ? 'zone' : 'main')) return false
    if (field === 'status') return true
    return sides[side].includes(field) && !lost.has(side)
  }
}

function destinationOf(dialect: Dialect, row: Row): Side | null {
  const { txType } = row
  const direction = typeof txType === 'string' ? parseDirection(dialect, txType) : null
  return direction === null ? null : direction === 'MainToZone' ? 'zone' : 'main'
}
