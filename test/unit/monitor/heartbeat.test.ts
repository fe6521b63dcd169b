import { MockAgent } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { beat } from '../../../src/monitor/watching.ts'
import { noSignal } from '../checks/support.ts'

let agent: MockAgent
const asked: string[] = []

beforeEach(() => {
  asked.length = 0
  agent = new MockAgent()
  agent.disableNetConnect()
})
afterEach(() => agent.close())

function call(isAlive: boolean, status = 200) {
  agent
    .get('http://hc.local')
    .intercept({ path: (path) => asked.push(path) > 0 })
    .reply(status, 'OK')
  const url = new Secret('http://hc.local/ping/0123456789')
  return beat({ url, isAlive, dispatcher: agent }, noSignal)
}

test('a monitor that works says so', async () => {
  await call(true)
  expect(asked).toContain('/ping/0123456789')
})

test('invariant 14: a monitor that runs but cannot check says that it fails', async () => {
  await call(false)
  expect(asked).toContain('/ping/0123456789/fail')
})

test('F82: a switch that refuses the sign of life is an error without its address', async () => {
  await expect(call(true, 500)).rejects.toThrow('the heartbeat at hc.local answered HTTP 500')
})

test('F82: a switch that does not answer in time is told as that', async () => {
  agent
    .get('http://hc.local')
    .intercept({ path: '/ping/0123456789' })
    .replyWithError(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  const url = new Secret('http://hc.local/ping/0123456789')
  await expect(beat({ url, isAlive: true, dispatcher: agent }, noSignal)).rejects.toThrow(
    'the heartbeat at hc.local cannot be reached: The operation was aborted due to timeout',
  )
})
