import { kinds } from '../checks/index.ts'
import { resolve } from 'node:path'
import { sayFrom } from '../replay/backtest/chooseRules.ts'
import { type Backtest, runBacktest } from '../replay/backtest/runBacktest.ts'
import { MonitorError } from '../lib/errors.ts'
import { suggest } from '../lib/nearest.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import { createProgress } from './createBar.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { readTime } from './readTime.ts'
import { toCsvLine } from '../lib/csv.ts'

export interface BacktestCommand {
  readonly config: string
  readonly rule?: string
  readonly since?: string
  readonly until?: string
  readonly rules?: string
  readonly json?: boolean
  readonly csv?: boolean
}

/** `spanwatch backtest`: the alerts that the rules would have raised over the ledger's history; nothing is sent, nothing is written. */
export async function backtest(io: Io, options: BacktestCommand): Promise<number> {
  const project = await loadProject(io, options.config, { needs: [] })
  const now = io.clock.now()
  const read = (name: 'since' | 'until', otherwise: number) => {
    const text = options[name]
    return text === undefined ? otherwise : readTime(`--${name}`, text, { now, sign: -1 })
  }
  const window = { since: read('since', 0), until: read('until', now) }
  if (window.since >= window.until)
    throw new MonitorError('usage', '--since: expected a time before that of --until')
  const changed = options.rules === undefined ? null : await readFolder(options.rules)
  const names = [...project.rules, ...(changed ?? [])].map(({ name }) => name)
  if (options.rule !== undefined && !names.includes(options.rule)) {
    const hint = suggest(options.rule, names)
    throw new MonitorError('usage', `--rule: unknown rule \`${options.rule}\`${hint}`)
  }
  const choose = (rules: readonly LoadedRule[]) =>
    options.rule === undefined ? rules : rules.filter(({ name }) => name === options.rule)
  const { db, ledger } = openLedger(project.config)
  try {
    const run = (rules: readonly LoadedRule[]) => {
      const progress = createProgress(io, 'transfers looked at')
      const { bridge } = project.config
      const onAdvance = (share: number, count: number) => progress.show({ share, count })
      const found = runBacktest({ db, ledger, bridge, rules: choose(rules), ...window, onAdvance })
      progress.end()
      return found
    }
    const present = run(project.rules)
    io.out(render({ present, changed: changed === null ? null : run(changed) }, options))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function render(
  result: { readonly present: Backtest; readonly changed: Backtest | null },
  options: BacktestCommand,
): string {
  if (options.json) return `${JSON.stringify(toJson(result), null, 2)}\n`
  return options.csv ? toBacktestCsv(result) : formatBacktest(result)
}

function toJson({ present, changed }: { readonly present: Backtest; readonly changed: Backtest | null }) {
  return changed === null ? present : { present, changed }
}

async function readFolder(folder: string): Promise<readonly LoadedRule[]> {
  const loaded = await readRules(resolve(folder), kinds)
  if (!loaded.ok) throw new MonitorError('config.invalid', renderProblems(loaded.problems))
  return loaded.rules
}

interface BacktestResult {
  readonly present: Backtest
  /** With the rules that are compared; null when none are. */
  readonly changed: Backtest | null
}

/** For people: each rule with its days, then what could not be replayed. */
function formatBacktest({ present, changed }: BacktestResult): string {
  const { transfers, replayed, since, until } = present
  const from = since === 0 ? 'the beginning' : isoTime(since)
  const head = `${transfers} transfers from ${from} to ${isoTime(until)}, ${replayed} of them looked at in full`
  const names = namesOf(present, changed)
  const blocks = names.flatMap((name) =>
    formatRule(find(present, name), find(changed, name), { isCompared: changed !== null, since }),
  )
  const skipped = (changed ?? present).skipped
  return [
    head,
    'Alerts before grouping and silences, as they would have been raised; days are UTC.',
    '',
    ...(blocks.length === 0 ? ['No rule that history can be judged by.'] : blocks),
    ...(skipped.length === 0 ? [] : ['', 'not replayed']),
    ...skipped.map(({ rule, kind, reason }) => `  ${rule} (${kind}): ${reason}`),
    '',
  ].join('\n')
}

type RuleResult = Backtest['rules'][number]

function formatRule(
  before: RuleResult | null,
  after: RuleResult | null,
  { isCompared, since }: { readonly isCompared: boolean; readonly since: number },
): string[] {
  const rule = after ?? before
  if (rule === null) return []
  const shown = isCompared
    ? `${before?.told ?? 'no rule'} now, ${after?.told ?? 'no rule'} then`
    : `${rule.told}`
  const more = [
    ...(rule.corrected > 0 ? [`${rule.corrected} corrected`] : []),
    ...(rule.resolved > 0 ? [`${rule.resolved} ended`] : []),
    ...(rule.errors > 0 ? [`${rule.errors} could not be judged`] : []),
  ]
  const days = [...new Set([...Object.keys(before?.days ?? {}), ...Object.keys(after?.days ?? {})])].sort()
  return [
    `${rule.severity.padEnd(8)} ${rule.rule} (${rule.kind}): raised ${shown}${more.length > 0 ? `, ${more.join(', ')}` : ''}`,
    ...(rule.from !== null && rule.from > since ? [`  ${sayFrom(rule.from)}`] : []),
    ...days.map(
      (day) =>
        `  ${day}  ${isCompared ? `${before?.days[day] ?? 0} now, ${after?.days[day] ?? 0} then` : rule.days[day]}`,
    ),
    ...rule.examples.slice(0, 3).map((one) => `  ${isoTime(one.at)}  ${one.subject}  ${one.text}`),
  ]
}

/** One line a rule and day; a rule that raised nothing has one without a day. */
function toBacktestCsv({ present, changed }: BacktestResult): string {
  const isCompared = changed !== null
  const header = toCsvLine([
    'rule',
    'kind',
    'severity',
    'day',
    'told',
    ...(isCompared ? ['told_changed'] : []),
  ])
  const lines = namesOf(present, changed).flatMap((name) => {
    const [before, after] = [find(present, name), find(changed, name)]
    const rule = after ?? before
    if (rule === null) return []
    const days = [...new Set([...Object.keys(before?.days ?? {}), ...Object.keys(after?.days ?? {})])].sort()
    return (days.length === 0 ? [''] : days).map((day) =>
      toCsvLine([
        rule.rule,
        rule.kind,
        rule.severity,
        day,
        before?.days[day] ?? 0,
        ...(isCompared ? [after?.days[day] ?? 0] : []),
      ]),
    )
  })
  return [header, ...lines].join('')
}

function namesOf(present: Backtest, changed: Backtest | null): string[] {
  return [...new Set([...present.rules, ...(changed?.rules ?? [])].map(({ rule }) => rule))]
}

function find(of: Backtest | null, name: string): RuleResult | null {
  return of?.rules.find(({ rule }) => rule === name) ?? null
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
