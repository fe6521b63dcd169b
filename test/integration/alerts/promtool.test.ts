import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Phase, stepCondition, untouched } from '../../../src/alerts/stateMachine.ts'
import { mixUnit } from '../../../src/sandbox/random.ts'
import { hasProgram } from '../../support/hasProgram.ts'

const minute = 60_000

interface Series {
  readonly name: string
  readonly values: readonly boolean[]
  readonly forMinutes: number
  readonly keepMinutes: number
}

/** Runs of true and false of random length: single samples are the interesting ones, long runs let things fire. */
function createSeries(count: number, length: number, seed: number): Series[] {
  let drawn = 0
  const draw = () => mixUnit(seed, drawn++)
  const pick = (below: number) => Math.floor(draw() * below)
  return Array.from({ length: count }, (_, index) => {
    const values: boolean[] = []
    for (let isTrue = draw() < 0.5; values.length < length; isTrue = !isTrue) {
      values.push(...Array.from({ length: 1 + pick(draw() < 0.5 ? 2 : 8) }, () => isTrue))
    }
    return {
      name: `s${index}`,
      values: values.slice(0, length),
      forMinutes: pick(6),
      keepMinutes: pick(6),
    }
  })
}

/** At which minutes the alert fires, by our state machine. */
function listFiring({ values, forMinutes, keepMinutes }: Series): number[] {
  const times = { forMs: forMinutes * minute, keepFiringForMs: keepMinutes * minute }
  let phase: Phase = untouched
  return values.flatMap((isTrue, at) => {
    phase = stepCondition(phase, isTrue, times, at * minute).phase
    return phase.state === 'firing' || phase.state === 'recovering' ? [at] : []
  })
}

function writeRules(series: readonly Series[]): string {
  const rules = series.map(
    ({ name, forMinutes, keepMinutes }) =>
      `      - { alert: ${name}, expr: "${name} == 1", for: ${forMinutes}m, keep_firing_for: ${keepMinutes}m }`,
  )
  return `groups:\n  - name: random\n    interval: 1m\n    rules:\n${rules.join('\n')}\n`
}

function writeTests(series: readonly Series[], firing: (one: Series) => readonly number[]): string {
  const inputs = series.map(
    ({ name, values }) =>
      `      - { series: ${name}, values: "${values.map((isTrue) => (isTrue ? 1 : 0)).join(' ')}" }`,
  )
  const tests = series.flatMap((one) => {
    const fires = new Set(firing(one))
    return one.values.map((_, at) => {
      const expected = fires.has(at) ? '[{ exp_labels: {} }]' : '[]'
      return `      - { eval_time: ${at}m, alertname: ${one.name}, exp_alerts: ${expected} }`
    })
  })
  return `rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
${inputs.join('\n')}
    alert_rule_test:
${tests.join('\n')}
`
}

/** What promtool says: '' when it finds the same. */
async function compare(
  series: readonly Series[],
  firing: (one: Series) => readonly number[],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-promtool-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'rules.yaml'), writeRules(series))
  const path = join(folder, 'tests.yaml')
  writeFileSync(path, writeTests(series, firing))
  const result = await promisify(execFile)('promtool', ['test', 'rules', path], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout: string; stderr: string }) => error)
  const said = `${result.stdout}${result.stderr}`
  return said.includes('SUCCESS') && !said.includes('FAILED') ? '' : said.slice(0, 2_000)
}

describe.runIf(hasProgram('promtool'))('F52: the state machine beside promtool test rules', () => {
  test('the edges that are written down: for 3m, keep firing 2m', async () => {
    const values = '1101111000011'.split('').map((digit) => digit === '1')
    const series = [{ name: 's0', values, forMinutes: 3, keepMinutes: 2 }]
    expect(listFiring(series[0] as Series)).toEqual([6, 7, 8])
    expect(await compare(series, listFiring)).toBe('')
  })

  test('1,000 random series with random for and keep-firing fire at the same minutes', {
    timeout: 120_000,
  }, async () => {
    const series = createSeries(1_000, 40, 20_261_121)
    expect(await compare(series, listFiring)).toBe('')
  })

  test('a difference of one minute in one series would be noticed', async () => {
    const series = createSeries(20, 40, 7)
    const changed = series.find((one) => listFiring(one).length > 0)
    const firing = (one: Series) => (one === changed ? listFiring(one).slice(1) : listFiring(one))
    expect(await compare(series, firing)).toContain(`alertname: ${changed?.name}`)
  })
})
