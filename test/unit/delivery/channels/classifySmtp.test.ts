import type { NodemailerError } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/lib/secret.ts'
import { classifySmtpError, classifySmtpSuccess } from '../../../../src/delivery/channels/classifySmtp.ts'

const context = { host: 'mail.example.com', secrets: [new Secret('hunter2hunter2')], owed: null }
const smtpError = (fields: Partial<NodemailerError>): NodemailerError =>
  Object.assign(new Error('it failed'), fields)
const refusal = (recipient: string, responseCode: number) =>
  smtpError({ recipient, responseCode, response: `${responseCode} no` })

test.each([
  { at: 'CONN', responseCode: 421, expected: 'transient' },
  { at: 'CONN', responseCode: 554, expected: 'dead' },
  { at: 'AUTH PLAIN', responseCode: 535, code: 'EAUTH', expected: 'dead' },
  { at: 'AUTH PLAIN', responseCode: 454, code: 'EAUTH', expected: 'transient' },
  { at: 'MAIL FROM', responseCode: 530, expected: 'dead' },
  { at: 'MAIL FROM', responseCode: 450, expected: 'transient' },
  { at: 'DATA', responseCode: 554, expected: 'bad_message' },
  { at: 'DATA', responseCode: 550, expected: 'bad_message' },
  { at: 'DATA', responseCode: 552, expected: 'bad_message' },
  { at: 'MAIL FROM', responseCode: 552, expected: 'bad_message' },
  { at: 'DATA', responseCode: 451, expected: 'transient' },
  { at: 'DATA', responseCode: 452, expected: 'transient' },
  { at: 'MAIL FROM', responseCode: 503, expected: 'transient' },
])('$responseCode at $at is $expected', ({ at, responseCode, code, expected }) => {
  const error = smtpError({
    command: at,
    responseCode,
    response: `${responseCode} text`,
    ...(code === undefined ? {} : { code }),
  })
  expect(classifySmtpError(error, context).result).toBe(expected)
})

test.each([
  { code: 'ESOCKET', originalCode: 'ECONNREFUSED', expected: 'transient' },
  { code: 'ESOCKET', originalCode: 'ECONNRESET', expected: 'transient' },
  { code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED', expected: 'dead' },
  { code: 'ETIMEDOUT', expected: 'transient' },
  { code: 'EDNS', originalCode: 'ENOTFOUND', expected: 'transient' },
  { code: 'ECONNECTION', expected: 'transient' },
  { code: 'ETLS', expected: 'dead' },
  { code: 'ENOAUTH', expected: 'dead' },
  { code: 'EABORT', expected: 'transient' },
])('$code $originalCode without an answer is $expected', ({ expected, ...fields }) => {
  expect(classifySmtpError(smtpError(fields), context).result).toBe(expected)
})

test('a connection that closes while TLS is agreed on is a broken connection', () => {
  const error = Object.assign(new Error('Connection closed unexpectedly'), { code: 'ETLS' })
  expect(classifySmtpError(error, context).result).toBe('transient')
})

test('a mail larger than the server takes may go out in plain form', () => {
  const error = smtpError({ code: 'EMESSAGE', command: 'MAIL FROM' })
  expect(classifySmtpError(error, context).result).toBe('bad_message')
})

describe('recipients', () => {
  test('all taken is an acknowledgement', () => {
    expect(classifySmtpSuccess({ rejected: [] }, context)).toEqual({ result: 'ack' })
  })

  test('4xx ones are tried again, 5xx ones are refused, each told apart', () => {
    const rejected = ['later@x.example', 'gone@x.example']
    const rejectedErrors = [refusal('later@x.example', 451), refusal('gone@x.example', 550)]
    expect(classifySmtpSuccess({ rejected, rejectedErrors }, context)).toEqual({
      result: 'partial',
      retry: ['later@x.example'],
      refused: [{ recipient: 'gone@x.example', reason: 'mail.example.com: 550 no' }],
    })
  })

  const nobody = (...errors: NodemailerError[]) =>
    smtpError({
      command: 'RCPT TO',
      code: 'EENVELOPE',
      responseCode: 450,
      response: '450 no',
      rejected: errors.map((error) => error.recipient ?? ''),
      rejectedErrors: errors,
    })

  test('everyone deferred is a mail that waits', () => {
    expect(classifySmtpError(nobody(refusal('a@x.example', 451)), context)).toEqual({
      result: 'transient',
      reason: 'mail.example.com: 450 no',
    })
  })

  test('some deferred and the others refused is a mail that waits, while nobody has it', () => {
    const error = nobody(refusal('a@x.example', 451), refusal('b@x.example', 550))
    expect(classifySmtpError(error, context).result).toBe('transient')
    expect(classifySmtpError(error, { ...context, owed: ['a@x.example', 'b@x.example'] })).toEqual({
      result: 'partial',
      retry: ['a@x.example'],
      refused: [{ recipient: 'b@x.example', reason: 'mail.example.com: 550 no' }],
    })
  })

  test('everyone refused is a channel that reaches nobody', () => {
    expect(classifySmtpError(nobody(refusal('a@x.example', 550)), context)).toEqual({
      result: 'dead',
      reason: 'mail.example.com: 450 no',
    })
  })

  test('the last who is owed it refused leaves nobody to try again', () => {
    const owed = ['a@x.example']
    expect(classifySmtpError(nobody(refusal('a@x.example', 550)), { ...context, owed })).toEqual({
      result: 'partial',
      retry: [],
      refused: [{ recipient: 'a@x.example', reason: 'mail.example.com: 550 no' }],
    })
  })
})

test('reasons hold neither credentials nor what a server says of a login', () => {
  const quoting = smtpError({ command: 'DATA', responseCode: 554, response: '554 hunter2hunter2 is bad' })
  expect(classifySmtpError(quoting, context)).toEqual({
    result: 'bad_message',
    reason: 'mail.example.com: 554 [redacted] is bad',
  })
  const login = smtpError({
    code: 'EAUTH',
    command: 'AUTH PLAIN',
    responseCode: 535,
    response: '535 bad user bob',
  })
  expect(classifySmtpError(login, context)).toEqual({
    result: 'dead',
    reason: 'mail.example.com refused the credentials (535)',
  })
})
