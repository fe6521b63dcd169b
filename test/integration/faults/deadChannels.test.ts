import { expect, onTestFinished, test } from 'vitest'
import { readLiveness } from '../../../src/monitor/liveness.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { startApiStub } from '../../support/apiStub.ts'
import { calmPoll, createBridgeWorld } from '../../support/bridgeWorld.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
`

test('F81: while no channel takes messages the outside switch hears that, and health and journal say it', async () => {
  const open = { refused: false, down: false }
  const got: string[] = []
  const stub = await startApiStub(({ path }) => {
    got.push(path)
    if (path === '/refused' && !open.refused) return { status: 404, body: 'no_service' }
    if (path === '/down' && !open.down) return { raw: (response) => void response.destroy() }
    return { body: 'ok' }
  })
  onTestFinished(() => stub.close())
  const route = { match: null, groupBy: ['rule'], groupWaitMs: null, groupIntervalMs: 1_000, continue: false }
  const world = await createBridgeWorld({
    rules,
    config: {
      poll: calmPoll,
      channels: [
        { name: 'refused', type: 'slack', url: new Secret(`${stub.url}/refused`) },
        { name: 'down', type: 'webhook', url: `${stub.url}/down` },
      ],
      routes: [{ ...route, channels: ['refused', 'down'], repeatMs: 14_400_000 }],
      heartbeat: { url: new Secret(`${stub.url}/ping`), everyMs: 60_000 },
    },
  })
  const { app, log } = world.monitor
  const health = () =>
    readLiveness({ ...app.parts, pollers: () => app.parts.runner.status() }, world.now(), 0)
  const journal = (text: string) => log.filter((line) => line.includes(text)).length
  const pings = () => got.filter((path) => path.startsWith('/ping')).slice(-2)

  await world.pass(180_000)
  expect(health()).toEqual({ ok: true, reasons: [] })
  expect(pings()).toEqual(['/ping', '/ping'])

  world.withdraw(1, { status: '0x0', mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' })
  await world.until(() => got.includes('/refused') && got.includes('/down'), 'both channels are tried')
  // One refuses for good; the other might come back any moment.
  await world.pass(60_000)
  expect(health().ok).toBe(true)
  await world.pass(300_000)
  expect(health()).toEqual({ ok: false, reasons: ['no channel takes messages: nothing can be sent'] })
  expect(pings()).toEqual(['/ping/fail', '/ping/fail'])
  expect(journal('no channel takes messages')).toBe(1)

  open.down = true
  await world.until(() => health().ok, 'one channel takes messages again')
  await world.pass(180_000)
  expect(pings()).toEqual(['/ping', '/ping'])
  expect(journal('a channel takes messages again')).toBe(1)
})
