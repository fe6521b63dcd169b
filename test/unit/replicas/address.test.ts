import { afterEach, expect, test, vi } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { readAddress } from '../../../src/replicas/address.ts'

afterEach(() => vi.unstubAllEnvs())

const read = (address: string) => readAddress({ database: new Secret(address) })
const verified = { rejectUnauthorized: true }

test.each([
  'postgres://u:p@db.example.com/x',
  'postgres://u:p@localhost/x?host=db.example.com',
  'postgres:///x?host=db.example.com&user=u',
  'postgres://u:p@db.example.com/x?ssl=0',
  'postgres://u:p@db.example.com/x?ssl=no-verify',
  'postgres://u:p@db.example.com/x?sslmode=no-verify',
])('a PostgreSQL on another machine is asked for TLS, and verified: %s', (address) => {
  const { ssl, connectionString } = read(address)
  expect(ssl).toEqual(verified)
  expect(connectionString).not.toMatch(/ssl/)
})

test('so is one that the environment alone names', () => {
  vi.stubEnv('PGHOST', 'db.example.com')
  expect(read('postgres:///x?user=u').ssl).toEqual(verified)
  vi.stubEnv('PGHOST', '/var/run/postgresql')
  expect(read('postgres:///x?user=u').ssl).toBe(false)
})

test.each([
  'postgres://u:p@db.example.com/x?sslmode=disable',
  'postgres://u:p@127.0.0.1/x',
  'postgres://u:p@localhost/x',
  'postgres://u:p@[::1]/x',
  'postgres:///x?host=/var/run/postgresql',
])('one on this machine, or whose address says so, is spoken to in the clear: %s', (address) => {
  expect(read(address).ssl).toBe(false)
})
