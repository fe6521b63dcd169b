import { describe, expect, test } from 'vitest'
import { parseSmtpUrl } from '../../../../src/delivery/channels/email.ts'

test('reads user, password, host and port, percent-decoded', () => {
  expect(parseSmtpUrl('mail', 'smtp://bob%40x:p%2Fw@mail.example.com:2525')).toEqual({
    host: 'mail.example.com',
    port: 2525,
    implicitTls: false,
    tlsRequired: true,
    auth: { user: 'bob@x', pass: 'p/w' },
  })
})

test.each([
  ['smtp://mail.example.com', 587],
  ['smtps://mail.example.com', 465],
])('%s goes to port %i', (url, port) => {
  expect(parseSmtpUrl('mail', url).port).toBe(port)
})

describe('TLS', () => {
  test.each([
    ['smtp://127.0.0.1:25', false],
    ['smtp://127.8.9.1:25', false],
    ['smtp://localhost:25', false],
    ['smtp://[::1]:25', false],
    ['smtp://127.0.0.1:25?requireTLS=true', true],
    ['smtp://bob:pw@127.0.0.1:25', true],
    ['smtp://mail.example.com:25', true],
    ['smtp://mail.example.com:25?ignoreTLS=true', true],
    ['smtp://127.0.0.1.example.com:25', true],
    ['smtp://10.0.0.1:25', true],
  ])('for %s required: %s', (url, expected) => {
    expect(parseSmtpUrl('mail', url).tlsRequired).toBe(expected)
  })
})

test.each([
  '',
  'mail.example.com:25',
  'https://bob:secretsecret@x',
  'smtp://',
  'smtp://bob:secretsecret@x?pool=true',
])('%j is refused without being repeated', (url) => {
  expect(() => parseSmtpUrl('ops-mail', url)).toThrow(/^channel ops-mail: smtp /)
  expect(() => parseSmtpUrl('ops-mail', url)).not.toThrow(/secretsecret/)
})
