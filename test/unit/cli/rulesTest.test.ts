import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from './testIo.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-rules-'))
  write('stalled.yaml', rules)
})
afterEach(() => rmSync(folder, { recursive: true }))

const rules = `rules:
  - name: stalled
    on: transfer.stalled
    with: { after: 10m }
    for: 1m
    keepFiringFor: 2m
    severity: critical
    summary: "{{ transfer.amount }} waits for {{ age | duration }}"
  - { name: large, on: transfer.large, where: 'transfer.amount >= amount("1000.5")', severity: info }
`

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function run(tests: string) {
  const path = write('a.test.yaml', tests)
  const { exitCode, out, err } = await runCommand(['rules', 'test', path])
  return { exitCode, out: out.replaceAll(path, 'a.test.yaml'), err: err.replaceAll(path, 'a.test.yaml') }
}

const one = (body: string) => `rules: [stalled.yaml]\ntests:\n  - name: it\n${body}`

describe('rules test', () => {
  test('`for` and `keepFiringFor` pass as they do in the daemon', async () => {
    const { exitCode, out } = await run(
      one(`    inputs:
      - { at: 0s, transfer: w1, record: { amount: "3" } }
      - { at: 20m, transfer: w1, record: { destinationAt: 20m } }
    expect:
      - { at: 9m59s, pending: [], firing: [] }
      - { at: 10m, pending: [stalled w1], silent: true }
      - { at: 10m59s, pending: [stalled w1], silent: true }
      - { at: 11m, firing: [stalled w1], told: [{ rule: stalled, summary: 3 waits for 11m, headline: "CRITICAL: 3 waits for 11m" }] }
      - { at: 21m59s, firing: [stalled w1], silent: true }
      - { at: 22m, resolved: [stalled w1] }
`),
    )
    expect([exitCode, out]).toEqual([0, 'a.test.yaml\n  ok     it\n\n1 test in 1 file, all pass\n'])
  })

  test('a difference names its line, what was expected and what came, and ends with 1', async () => {
    const { exitCode, out } = await run(
      one(`    inputs: [{ at: 0s, transfer: w1, record: { amount: "3" } }]
    expect:
      - at: 30m
        firing: [stalled w2]
        told: [{ rule: stalled, summary: 3 waits for 10m }]
`),
    )
    expect(exitCode).toBe(1)
    expect(out).toBe(`a.test.yaml
  FAILED it
    a.test.yaml:7:9: at 30m: \`firing\` is other than expected
      - stalled w2
      + stalled w1
    a.test.yaml:8:9: at 30m: \`told\` is other than expected
      - rule: "stalled", !summary: "3 waits for 10m"
      + 11m firing critical stalled w1 on test: 3 waits for 11m

1 test in 1 file, 1 failed
`)
  })

  test('an amount is compared to the last unit', async () => {
    const { exitCode, out } = await run(
      one(`    inputs:
      - { at: 0s, transfer: below, record: { amount: "1000.499999", destinationAt: 0s } }
      - { at: 1s, transfer: exact, record: { amount: "1000.5", destinationAt: 0s } }
    expect: [{ at: 1m, told: [large exact] }]
`),
    )
    expect([exitCode, out]).toEqual([0, expect.stringContaining('all pass')])
  })

  test('groups wait and remind as the routes say', async () => {
    const { exitCode, out } = await run(
      `channels: [ops]
routes: [{ channels: [ops], groupBy: [rule], groupWait: 30s, groupInterval: 1m, repeat: 1h }]
${one(`    inputs:
      - { at: 0s, transfer: w1 }
      - { at: 20s, transfer: w2 }
      - { at: 1m, transfer: w3 }
    expect:
      - { at: 11m29s, firing: [stalled w1, stalled w2], silent: true }
      - { at: 11m30s, told: [{ rule: stalled, headline: "CRITICAL: 2 withdrawals have not arrived in time, 2 0xc0c0…c0c0" }, stalled w2] }
      - { at: 12m30s, told: [stalled w3] }
      - { at: 80m, told: [{ rule: stalled, what: repeat }, { rule: stalled, what: repeat }, { rule: stalled, what: repeat }] }
`)}`,
    )
    expect([exitCode, out]).toEqual([0, expect.stringContaining('all pass')])
  })

  test.each([
    ['a key', '    expct: [{ at: 1m, silent: true }]', '4:5: unknown key `expct`, did you mean `expect`?'],
    [
      'a rule',
      '    expect: [{ at: 1m, firing: [staled w1] }]',
      '4:33: unknown rule `staled`, did you mean `stalled`?',
    ],
    [
      'a time',
      '    expect: [{ at: soon, silent: true }]',
      '4:20: `tests[0].expect[0].at`: expected a duration such as 30m, got "soon"',
    ],
    [
      'a transfer',
      '    inputs: [{ at: 0s, transfer: w1 }, { at: 0s, evidence: { transfer: w2, leg: zone, source: E9, status: failed } }]\n    expect: [{ at: 1m, silent: true }]',
      '4:72: unknown transfer `w2`, did you mean `w1`?',
    ],
    [
      'a token',
      '    inputs: [{ at: 0s, transfer: w1, record: { token: USDD } }]\n    expect: [{ at: 1m, silent: true }]',
      '4:55: unknown token `USDD`, did you mean `USDC`?',
    ],
    [
      'a fact',
      '    inputs: [{ at: 0s, raise: { kind: preconf.moved, facts: { heigt: 1 } } }]\n    expect: [{ at: 1m, silent: true }]',
      '4:63: unknown fact `heigt`, did you mean `height`?',
    ],
    [
      'a kind that is judged by facts',
      '    inputs: [{ at: 0s, raise: { kind: chain.stalled } }]\n    expect: [{ at: 1m, silent: true }]',
      '4:39: chain.stalled is not raised: set the facts that it is judged by',
    ],
    [
      'two things in one input',
      '    inputs: [{ at: 0s, transfer: w1, clear: x }]\n    expect: [{ at: 1m, silent: true }]',
      '4:14: expected one of transfer, evidence, head, source, balances, facts, raise, clear beside `at`, got transfer and clear',
    ],
    [
      'expectations that go back in time',
      '    expect: [{ at: 1m, silent: true }, { at: 1m, silent: true }]',
      '4:46: expected a later time than that of the expectation before',
    ],
  ])('%s that is wrong ends with 2, its place and what was meant', async (_, body, text) => {
    const { exitCode, err } = await run(one(`${body}\n`))
    expect(exitCode).toBe(2)
    expect(err).toContain(`a.test.yaml:${text}`)
  })

  test('a broken rule ends with 2 and the place in the rule file', async () => {
    write('stalled.yaml', rules.replace('after: 10m', 'aftr: 10m'))
    const { exitCode, err } = await run(one('    expect: [{ at: 1m, silent: true }]\n'))
    expect(exitCode).toBe(2)
    expect(err).toMatch(/stalled\.yaml:4:13: unknown key `aftr`, did you mean `after`\?/)
  })

  test('without a file the tests of the configured folder are run, and are no rules', async () => {
    const path = write(
      'spanwatch.yaml',
      'explorer: { baseUrl: "http://127.0.0.1:1/", chains: { main: A, zone: B } }\nrules: ./mine\n',
    )
    mkdirSync(join(folder, 'mine'))
    write('mine/stalled.yaml', rules)
    write(
      'mine/stalled.test.yaml',
      'tests:\n  - name: quiet\n    expect: [{ at: 1m, silent: true, firing: [] }]\n',
    )
    const tested = await runCommand(['rules', 'test', '-c', path])
    const checked = await runCommand(['check', '-c', path])
    expect([tested.exitCode, checked.exitCode]).toEqual([0, 0])
    expect(tested.out).toContain('ok     quiet')
  })
})
