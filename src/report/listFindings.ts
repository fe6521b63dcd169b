import { keptFinding } from '../alerts/findingJson.ts'
import { alertIdOf } from '../alerts/fingerprint.ts'
import { stands } from '../alerts/joining.ts'
import { readMaterial } from '../alerts/material.ts'
import { type Decimal, formatDecimal, noAmount, subtractDecimals } from '../bridge/decimal.ts'
import { asHeldFinding, type Wrapping } from '../bridge/movedToken.ts'
import { type RiskUnit, sumRisks, toRisk } from '../cases/money.ts'
import { nth } from '../lib/nth.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Correction, FindingGroup, FindingLine } from './dailyReport.ts'
import type { FoundRow } from './queries.ts'
import { dayOf } from './reportDay.ts'
import type { ReportToken } from './reportToken.ts'

interface Words {
  readonly kinds: Kinds
  readonly tokenOf: (address: string) => ReportToken
  readonly wrapping: Wrapping
}

const examplesListed = 10
const severityOrder = { critical: 0, warning: 1, info: 2 } as const

/** By severity and kind; what was taken back apart, as no more than information. */
export function groupFindings(words: Words, found: readonly FoundRow[]): FindingGroup[] {
  const isOver = (row: FoundRow) => (isTakenBack(words, row) ? 'taken back: ' : '')
  return [...Map.groupBy(found, (row) => `${row.kind} ${row.severity} ${isOver(row)}`).values()]
    .map((rows): FindingGroup => {
      const { kind, severity } = nth(rows, 0)
      const over = isOver(nth(rows, 0))
      const examples = rows.slice(0, examplesListed).map((row) => {
        const line = toLine(words, row)
        return { ...line, title: `${over}${line.title}` }
      })
      return { kind, severity: over === '' ? severity : 'info', count: rows.length, examples }
    })
    .sort((a, b) => severityOrder[a.severity] - severityOrder[b.severity] || (a.kind < b.kind ? -1 : 1))
}

/** Sent otherwise since, because it turned out not to be so. */
function isTakenBack({ kinds }: Words, row: FoundRow): boolean {
  if (readMaterial(row.material).length < 2) return false
  return !stands({ finding: keptFinding(row), kind: kinds.find(row.kind) })
}

function toLine({ kinds, tokenOf, wrapping }: Words, row: FoundRow): FindingLine {
  const finding = asHeldFinding(keptFinding(row), wrapping)
  const risk = toRisk(kinds.find(row.kind), finding)
  return {
    title: finding.title,
    at: row.at,
    key: row.transferKey,
    alertId: alertIdOf(row.fingerprint),
    amount: risk?.amount ?? null,
    token: risk && tokenOf(risk.token),
  }
}

/**
 * By day, severity and kind, the oldest day first; what it says of money is summed, each unit once: a movement adds what the
 * transfers of its transaction do not name.
 */
export function groupCorrections(words: Words, learned: readonly FoundRow[], zone: string): Correction[] {
  const { kinds, tokenOf, wrapping } = words
  const byGroup = Map.groupBy(
    learned.filter((row) => !isTakenBack(words, row)),
    ({ at, severity, kind }) => `${dayOf(at, zone)} ${severityOrder[severity]} ${kind}`,
  )
  const groups = [...byGroup].map(([name, rows]) => {
    const { kind, severity, at } = nth(rows, 0)
    const risks = rows.flatMap(
      (row) => toRisk(kinds.find(row.kind), asHeldFinding(keptFinding(row), wrapping)) ?? [],
    )
    const detector = kinds.find(kind)
    const isInAll = detector?.joins?.of === 'escrow' || detector?.risksInAll !== undefined
    return { name, rows, risks, isInAll, day: dayOf(at, zone), kind, severity }
  })
  const named = new Map<string, readonly RiskUnit[]>()
  return groups
    .toSorted((a, b) => Number(a.isInAll) - Number(b.isInAll) || (a.name < b.name ? -1 : 1))
    .map(({ name, rows, risks, day, kind, severity }) => {
      const before = named.get(day) ?? []
      named.set(day, [...before, ...risks])
      const money = sumAdded(before, risks).map(({ token, amount }) => ({ token: tokenOf(token), amount }))
      return { name, correction: { day, kind, severity, count: rows.length, money } }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ correction }) => correction)
}

/** What more is at risk by some than by others, by token. */
function sumAdded(
  before: readonly RiskUnit[],
  added: readonly RiskUnit[],
): { readonly token: string; readonly amount: string }[] {
  const known = new Map(sumByToken(before).map(({ token, amount }) => [token, amount]))
  const tokens = new Set(added.map(({ token }) => token))
  return sumByToken([...before, ...added]).flatMap(({ token, amount }) => {
    const more = subtractDecimals(amount, known.get(token) ?? noAmount)
    return tokens.has(token) && more.digits > 0n ? [{ token, amount: formatDecimal(more) }] : []
  })
}

function sumByToken(risks: readonly RiskUnit[]): { readonly token: string; readonly amount: Decimal }[] {
  const byToken = Map.groupBy(risks, ({ token }) => token)
  return [...byToken].map(([token, units]) => ({ token, amount: sumRisks(units) }))
}
