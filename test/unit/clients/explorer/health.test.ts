import { expect, test } from 'vitest'
import { createHealth } from '../../../../src/clients/explorer/health.ts'

const failingSince = (health: ReturnType<typeof createHealth>) =>
  health.read().endpoints.find(({ endpoint }) => endpoint === 'E3')?.failingSince

test('an endpoint fails since its first failure after its last good answer', () => {
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', startedAt: 0 })
  health.failed('E3', 10, 'timeout', false)
  health.failed('E3', 20, 'timeout', false)
  expect(failingSince(health)).toBe(10)
  health.good('E3', 30)
  expect(failingSince(health)).toBeNull()
})

test('once credentials are accepted again, what was refused meanwhile has its time anew', () => {
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', startedAt: 0 })
  health.failed('E3', 10, 'invalid key', true)
  health.good('E5', 60_000)
  expect(failingSince(health)).toBe(60_000)
})
