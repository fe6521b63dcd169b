import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeSlack } from '../support/fakeSlack/fakeSlack.ts'

const script = fileURLToPath(new URL('../integration/alerts/killedSlackSender.ts', import.meta.url))
const events = 6

/**
 * Kills the sender five times as Slack is about to answer a post, which it has done: what was posted is not acknowledged.
 * Returns the amounts that were told, in order, and the channel.
 */
async function runKilled(scopes: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-slack-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  let kill: (() => void) | null = null
  const slack = await startFakeSlack({
    scopes,
    onCall: ({ method }) => {
      if (method === 'chat.postMessage') kill?.()
    },
  })
  onTestFinished(() => slack.close())
  const openedAt = String(Date.now())
  const start = () =>
    spawn(
      process.execPath,
      [
        script,
        join(folder, 'ledger.sqlite'),
        slack.url,
        slack.tokens.bot,
        slack.channelId,
        openedAt,
        String(events),
      ],
      { stdio: 'inherit' },
    )
  for (let round = 0; round < 5; round += 1) {
    const sender = start()
    kill = () => void sender.kill('SIGKILL')
    await once(sender, 'exit')
  }
  kill = null
  const [code] = await once(start(), 'exit')
  expect(code).toBe(0)
  const told = slack.world.messages.flatMap(({ blocks }) => {
    const named = [...JSON.stringify(blocks).matchAll(/Withdrawal of (\d+) USDC/g)].map(([, n]) => Number(n))
    return [...new Set(named)]
  })
  return { slack, told: told.toSorted((a, b) => a - b) }
}

const all = Array.from({ length: events }, (_, n) => n + 1)

test('F111: five kill -9 between a post and its acknowledgement lose nothing, repeat nothing, and make one thread a case', async () => {
  const { slack, told } = await runKilled(['chat:write', 'channels:history'])
  expect(told).toEqual(all)
  const cases = slack.posts().map(({ raw }) => JSON.stringify(raw.metadata).match(/"case_id":"(c\d+)"/)?.[1])
  expect(cases.length).toBe(new Set(cases).size)
})

test('where reading is not permitted, what was in flight is told again, marked so', async () => {
  const { slack, told } = await runKilled(['chat:write'])
  expect([...new Set(told)]).toEqual(all)
  const marked = slack.world.messages.filter(({ blocks }) => JSON.stringify(blocks).includes('· attempt'))
  expect(marked.length).toBeGreaterThan(0)
  expect(marked.length).toBeLessThanOrEqual(5)
})
