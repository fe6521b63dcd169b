import type { NodemailerError } from 'nodemailer'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ChannelSettings } from '../config/config.ts'
import { verifyEmail } from '../delivery/channels/email.ts'
import { codeOf, errorText } from '../lib/errors.ts'
import { isTlsCode } from '../lib/isTlsCode.ts'
import { createScrubber, type Secret } from '../lib/secret.ts'
import { checkSlackApp } from './checkSlackApp.ts'
import { hostOf } from './describeConfig.ts'
import type { Io } from './io.ts'
import type { OnlineResult } from './onlineResult.ts'

const timeoutMs = 10_000

/**
 * Whether a channel can be reached, without a message that anybody would see: a mail server is greeted and logged in
 * to; of a webhook only the connection is tried, because every request to it would be a message.
 */
export async function checkChannel(
  io: Pick<Io, 'clock' | 'stop'>,
  channel: ChannelSettings,
): Promise<OnlineResult[]> {
  switch (channel.type) {
    case 'console':
      return []
    case 'email':
      return [await checkMail(channel)]
    case 'slack-app':
      return [await checkSlackApp(io, channel)]
    case 'slack':
    case 'webhook':
    case 'pagerduty':
    case 'alertmanager':
    case 'teams':
    case 'discord':
    case 'telegram':
      return [await checkWebhook(channel.name, channel.url)]
  }
}

async function checkMail(channel: Extract<ChannelSettings, { type: 'email' }>): Promise<OnlineResult> {
  const what = `channel ${channel.name}, mail server ${hostOf(channel.smtp.reveal())}`
  try {
    await verifyEmail({}, channel)
    return { what, verdict: 'ok', says: 'greeted and logged in', remedy: null }
  } catch (error) {
    const { originalCode = '' } = error as NodemailerError
    const said = createScrubber([channel.smtp])(errorText(error))
    const says = isTlsCode(originalCode) ? `no trusted TLS (${originalCode})` : said
    const remedy = mailRemedy(error as NodemailerError, `channels.${channel.name}.smtp`)
    return { what, verdict: 'failed', says, remedy }
  }
}

function mailRemedy({ code, originalCode = '', responseCode = 0 }: NodemailerError, setting: string): string {
  if (isTlsCode(originalCode)) return tlsRemedy(originalCode, setting)
  if (responseCode >= 400 && responseCode < 500)
    return 'The mail server says that this may pass: try again later.'
  return code === 'EAUTH'
    ? `The mail server refused the login: check user and password in ${setting}.`
    : `Check host and port in ${setting}: smtps:// where TLS begins at once (465), else smtp:// (587). TLS is required unless the server is this machine and needs no login.`
}

/** What to do where TLS could not be agreed on, by the code that says why. */
function tlsRemedy(code: string, setting: string): string {
  return /^ERR_SSL_|^EPROTO$/.test(code)
    ? `No TLS is spoken there as the address asks for it: check scheme and port in ${setting}.`
    : 'Its certificate is not trusted here: check the address and the certificates of this machine.'
}

async function checkWebhook(name: string, url: Secret): Promise<OnlineResult> {
  const { protocol, hostname, port, host } = new URL(url.reveal())
  const what = `channel ${name}, ${host}`
  const isTls = protocol === 'https:'
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isTls ? 443 : 80)) }
  try {
    await connectOnce(
      () =>
        isTls
          ? connectTls({
              ...address,
              ...(/^[\d.]+$|:/.test(address.host) ? {} : { servername: address.host }),
            })
          : connectTcp(address),
      isTls ? 'secureConnect' : 'connect',
    )
    return {
      what,
      verdict: 'ok',
      says: 'can be reached; whether it takes messages shows with the first one',
      remedy: null,
    }
  } catch (error) {
    const remedy = isTlsCode(codeOf(error))
      ? tlsRemedy(codeOf(error), `channels.${name}.url`)
      : `Check channels.${name}.url, name resolution, and whether a firewall or proxy stands between.`
    return { what, verdict: 'failed', says: `no connection (${codeOf(error) || errorText(error)})`, remedy }
  }
}

function connectOnce(open: () => Socket, ready: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open()
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`nothing within ${timeoutMs / 1_000} s`)))
    socket.once('error', reject)
    socket.once(ready, () => {
      socket.destroy()
      resolve()
    })
  })
}
