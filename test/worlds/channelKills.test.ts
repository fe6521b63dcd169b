import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { services } from '../support/channelServices.ts'

const script = fileURLToPath(new URL('../integration/alerts/killedChannelSender.ts', import.meta.url))
const amounts = [7_001, 7_002, 7_003, 7_004]
const kills = 3

test.concurrent.for(Object.entries(services))(
  'F111: kill -9 between a post to %s and its acknowledgement loses nothing, and repeats only what was in flight',
  { timeout: 120_000 },
  async ([name, service], { onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-kills-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const server = await service.start()
    onTestFinished(() => server.close())
    const start = () =>
      spawn(
        process.execPath,
        [script, join(folder, 'ledger.sqlite'), server.url, name, ...amounts.map(String)],
        { stdio: 'inherit' },
      )
    for (let round = 0; round < kills; round += 1) {
      // It took the message, and its answer never comes.
      server.respond('hang')
      const before = server.posted.length
      const sender = start()
      onTestFinished(() => void sender.kill('SIGKILL'))
      await expect.poll(() => server.posted.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
      sender.kill('SIGKILL')
      await once(sender, 'exit')
    }
    const inFlight = server.posted.length
    const [code] = await once(start(), 'exit')
    expect(code).toBe(0)
    const bodies = server.posted.map(({ body }) => body)
    for (const amount of amounts) {
      const naming = bodies.filter((body) => body.includes(amount.toLocaleString('en')))
      expect(naming.length, `${amount}`).toBeGreaterThan(0)
    }
    // After the last kill each is told once, what was in flight among them.
    const last = bodies.slice(inFlight)
    const told = last.flatMap((body) => amounts.filter((one) => body.includes(one.toLocaleString('en'))))
    expect(told).toHaveLength(new Set(told).size)
  },
)
