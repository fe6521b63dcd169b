import PostalMime from 'postal-mime'
import { expect, onTestFinished, test } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import { createFakeExplorer, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createProject, endProgram, startDaemon } from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

// One real daemon with Slack and mail, from the API to the inboxes.

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, runbook: "https://runbooks.example.com/failed", summary: "failed {{ transfer.amount }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 2s }, severity: critical, summary: "waits {{ transfer.amount }}" }
`

async function start(stateOf: { listen?: string } = {}) {
  const api = await createFakeExplorer()
  const slack = await createSlackInbox()
  const smtp = await createSmtpInbox()
  const project = createProject({
    ...stateOf,
    url: api.url,
    rules,
    explorer: { links: { tx: { main: 'https://scan.example.com/tx/{hash}', zone: null } } },
    channels: {
      ops: { type: 'slack', url: slack.url },
      mail: {
        type: 'email',
        smtp: smtp.url,
        from: 'Bridge <bridge@example.com>',
        to: ['a@example.com', 'b@example.com'],
      },
    },
  })
  const daemon = await startDaemon(project)
  onTestFinished(async () => {
    await endProgram(daemon)
    await Promise.all([slack.close(), smtp.close(), api.close()])
    project.remove()
  })
  const mails = async () =>
    Promise.all(smtp.mails.map(async (mail) => ({ ...mail, ...(await PostalMime.parse(mail.raw)) })))
  return { api, slack, smtp, daemon, mails }
}

test('a failed transfer is a mail with text and HTML, each with severity, both hashes, amount, age, runbook and id', async () => {
  const { api, smtp, mails } = await start()
  const failed = toWire({ status: '0x0', value: '1234567.000001', valueRaw: '1234567000001' })
  api.records.unshift(failed)
  await until(() => smtp.mails.length > 0)
  const [mail] = await mails()
  expect(mail?.subject).toMatch(/CRITICAL.*failed 1234567\.000001/)
  expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual(['a@example.com', 'b@example.com'])
  expect(mail?.messageId).toMatch(/^<[\w.-]+@[\w.-]+>$/)
  const wanted = [
    'CRITICAL',
    failed['mainTxHash'],
    failed['zoneTxHash'],
    '1234567.000001',
    'USD Coin',
    'ZoneToMain',
    'withdrawal',
    ' ago',
    'https://runbooks.example.com/failed',
  ]
  for (const part of [mail?.text ?? '', mail?.html ?? '']) {
    expect(wanted.filter((word) => !part.includes(word ?? '?'))).toEqual([])
    expect(part).toMatch(/#[0-9a-f]{6}/)
  }
  expect(mail?.html).toContain(`href="https://scan.example.com/tx/${failed['mainTxHash']}"`)
})

test('a stalled transfer of 2^255+1 in a token of 18 decimals shows its exact amount in Slack and mail', async () => {
  const { api, slack, smtp, mails } = await start()
  const raw = (1n << 255n) + 1n
  const amount = `${raw.toString().slice(0, -18)}.${raw.toString().slice(-18)}`
  const stalled = toOpenWire({ valueRaw: String(raw), value: amount, tokenName: 'Wide Token' })
  api.records.unshift(stalled)
  await until(() => slack.messages.length > 0 && smtp.mails.length > 0)
  const [mail] = await mails()
  for (const text of [slack.messages[0]?.text, mail?.subject, mail?.text, mail?.html])
    expect(text).toContain(amount)
  for (const text of [slack.messages[0]?.text, mail?.text, mail?.html])
    expect(text).toContain(stalled['zoneTxHash'])
  // It arrives: both channels hear the end of it, once.
  Object.assign(stalled, {
    mainTxHash: `0x${'fe'.repeat(32)}`,
    mainBlockHeight: '9001',
    mainBlockTime: String(Date.now()),
  })
  await until(() => slack.messages.length > 1 && smtp.mails.length > 1)
  expect(slack.messages[1]?.text).toMatch(/resolved/i)
  expect((await mails())[1]?.text).toContain(`0x${'fe'.repeat(32)}`)
})

test('healthz is 503 until something could be read, then 200; metrics parse', async () => {
  const api = await createFakeExplorer()
  api.intercept = (_, response) => {
    response.destroy()
    return true
  }
  const project = createProject({ url: api.url, rules })
  const daemon = await startDaemon(project)
  onTestFinished(async () => {
    await endProgram(daemon)
    await api.close()
    project.remove()
  })
  const health = async () => (await fetch(`${daemon.page}/healthz`)).status
  await until(() => api.requests.length > 3)
  expect(await health()).toBe(503)
  expect(await (await fetch(`${daemon.page}/`)).text()).not.toMatch(/all is well|all good/i)
  api.records = [toWire(), toOpenWire()]
  api.intercept = () => false
  await expect.poll(health, { timeout: 20_000, interval: 100 }).toBe(200)
  await expect
    .poll(async () => (await readMetrics(daemon.page)).size, { timeout: 10_000 })
    .toBeGreaterThan(10)
  const metrics = await readMetrics(daemon.page)
  expect([...metrics.keys()].filter((name) => name.startsWith('spanwatch_')).length).toBeGreaterThan(5)
  expect([...metrics.keys()]).toContain('process_resident_memory_bytes')
  expect([...metrics.values()].flat().filter((value) => value === 'NaN')).toEqual([])
}, 240_000)

/** The Prometheus text format, strictly: every line is a comment or a sample; names to values. */
async function readMetrics(page: string): Promise<Map<string, string[]>> {
  const response = await fetch(`${page}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const samples = new Map<string, string[]>()
  for (const line of (await response.text()).trimEnd().split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-zA-Z_:][\w:]* ./.test(line)) continue
    const [, name = '', value = ''] =
      /^([a-zA-Z_:][\w:]*)(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)$/.exec(line) ?? []
    expect(name, `not a sample: ${line}`).not.toBe('')
    expect(value).toMatch(/^([-+]?(\d+(\.\d+)?(e[-+]?\d+)?|Inf)|NaN)$/i)
    samples.set(name, [...(samples.get(name) ?? []), value])
  }
  return samples
}
