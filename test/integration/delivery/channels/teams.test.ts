import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTeamsChannel } from '../../../../src/delivery/channels/teams.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import type { ChannelServer } from '../../../support/channelServer.ts'
import { startFakeTeams, workflowPath } from '../../../support/fakeTeams.ts'
import { toMessage } from '../../../unit/delivery/messages.ts'

const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

let teams: ChannelServer
beforeEach(async () => {
  teams = await startFakeTeams()
})
afterEach(() => teams.close())

async function deliver(path = workflowPath) {
  const channel = createTeamsChannel(
    { clock: { now: () => 0 } },
    { name: 'ops', type: 'teams', url: new Secret(`${teams.url}${path}`) },
  )
  try {
    return await channel.deliver(toMessage(), plain)
  } finally {
    await channel.close()
  }
}

test.each([
  [200, '1'],
  [200, ''],
  [202, ''],
])('HTTP %i with "%s" is an acknowledgement', async (status, body) => {
  teams.respond({ status, body })
  expect(await deliver()).toEqual({ result: 'ack' })
})

const connector = (status: number) =>
  `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0,server=x`

test.each([
  [connector(429), 'throttled'],
  [connector(413), 'bad_message'],
  [connector(400), 'bad_message'],
  [connector(403), 'dead'],
  [connector(404), 'dead'],
  [connector(500), 'transient'],
  ['Webhook message delivery failed with error: Error contacting Microsoft Teams endpoint', 'transient'],
  ['System.Net.Http.HttpRequestException: Error while copying content to a stream.', 'suspicious'],
])('a connector that says "%s" with status 200 means %s', async (body, expected) => {
  teams.respond({ status: 200, body })
  expect((await deliver()).result).toBe(expected)
})

test.each([
  [401, 'DirectApiAuthorizationRequired', 'dead'],
  [400, 'WorkflowTriggerIsNotEnabled', 'dead'],
  [404, 'WorkflowNotFound', 'dead'],
  [400, 'TriggerInputSchemaMismatch', 'bad_message'],
  [429, 'WorkflowRunActionRepetitionQuotaExceeded', 'throttled'],
  [502, 'NoResponse', 'transient'],
])('a workflow that answers %i with %s means %s', async (status, code, expected) => {
  teams.respond({ status, body: JSON.stringify({ error: { code, message: 'averysecretsignature' } }) })
  const answer = await deliver()
  expect(answer.result).toBe(expected)
  expect(JSON.stringify(answer)).not.toContain('averysecretsignature')
})

test('an address without its signature is refused, and not said', async () => {
  const answer = await deliver('/workflows/0a0a/triggers/manual/paths/invoke')
  expect(answer).toMatchObject({
    result: 'dead',
    reason: expect.stringContaining('DirectApiAuthorizationRequired'),
  })
  expect(JSON.stringify(answer)).not.toContain('0a0a')
})
