/**
 * The table of performance: `npm run bench -- [--runs 3] [part of a title …]`. Each bench in a process of its own, so many
 * times one after the other; minimum, median and maximum of each figure beside its floor of the same run and its target.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeTarget, type Figure, figuresVariable, formatFigure, isReached } from './support/figures.ts'

interface Bench {
  readonly title: string
  readonly file: string
  readonly options?: readonly string[]
}

const benches: readonly Bench[] = [
  { title: 'ingest', file: 'ingest.ts' },
  { title: 'bytes', file: 'ledgerBytes.ts', options: ['10'] },
  { title: 'bytes', file: 'ledgerBytes.ts', options: ['history', '20000'] },
  { title: 'alerts', file: 'alerts.ts' },
  { title: 'ledger', file: 'ledgerSize.ts', options: ['1000000'] },
  { title: 'pages', file: 'pages.ts', options: ['1000000'] },
  { title: 'report', file: 'report.ts' },
  { title: 'backfill', file: 'backfill.ts' },
  { title: 'watching', file: 'watching.ts', options: ['3'] },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' } },
})
const chosen = benches.filter(({ title }) => positionals.length === 0 || positionals.includes(title))
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-figures-'))
const byName = new Map<string, Figure[]>()
try {
  for (const bench of chosen) for (let run = 0; run < Number(values.runs); run += 1) measure(bench)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
print()

function measure({ title, file, options = [] }: Bench): void {
  console.log(`\n# ${title}`)
  const path = join(folder, 'figures')
  writeFileSync(path, '')
  const { status } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(file, import.meta.url)), ...options],
    { stdio: 'inherit', env: { ...process.env, [figuresVariable]: path } },
  )
  if (status !== 0) process.exitCode = 1
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  for (const line of lines) {
    // Written by bench/support/figures.ts.
    const figure = JSON.parse(line) as Figure
    byName.set(figure.name, [...(byName.get(figure.name) ?? []), figure])
  }
}

function print(): void {
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0)
  console.log(
    `\n${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${gigabytes} GB, Node ${process.version}, load at the end ${loadavg()[0]?.toFixed(1)}; ${values.runs} runs\n`,
  )
  console.log('| figure | unit | minimum | median | maximum | floor | target | median reaches it |')
  console.log('|---|---|---|---|---|---|---|---|')
  for (const figures of byName.values()) {
    const rising = figures.toSorted((a, b) => a.value - b.value)
    const [least, middle, most] = [rising[0], rising[Math.floor(rising.length / 2)], rising.at(-1)]
    if (!least || !middle || !most) continue
    const { name, unit, floor, target } = middle
    const cells = [
      name,
      unit,
      ...[least, middle, most].map(({ value }) => formatFigure(value)),
      floor === undefined ? '' : formatFigure(floor),
      target === undefined ? '' : describeTarget(target),
      target === undefined ? '' : isReached(middle) ? 'yes' : 'no',
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}
