import { kinds } from '../checks/index.ts'
import { resolve } from 'node:path'
import { type Backtest, runBacktest } from '../replay/backtest/runBacktest.ts'
import { MonitorError } from '../lib/errors.ts'
import { suggest } from '../lib/nearest.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { readTime } from './readTime.ts'
import { formatBacktest, toBacktestCsv } from './renderBacktest.ts'

export interface BacktestCommand {
  readonly config: string
  readonly rule?: string
  readonly since?: string
  readonly until?: string
  readonly rules?: string
  readonly json?: boolean
  readonly csv?: boolean
}

/** `spanwatch backtest`: what the rules would have told over the ledger's history; nothing is sent, nothing is written. */
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
    const run = (rules: readonly LoadedRule[]) =>
      runBacktest({ db, ledger, bridge: project.config.bridge, rules: choose(rules), ...window })
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
