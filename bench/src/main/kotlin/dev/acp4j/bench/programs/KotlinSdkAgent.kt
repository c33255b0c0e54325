package dev.acp4j.bench.programs

import com.agentclientprotocol.agent.Agent
import com.agentclientprotocol.agent.AgentInfo
import com.agentclientprotocol.agent.AgentSession
import com.agentclientprotocol.agent.AgentSupport
import com.agentclientprotocol.agent.client
import com.agentclientprotocol.client.ClientInfo
import com.agentclientprotocol.common.Event
import com.agentclientprotocol.common.SessionCreationParameters
import com.agentclientprotocol.model.ContentBlock
import com.agentclientprotocol.model.PromptResponse
import com.agentclientprotocol.model.SessionId
import com.agentclientprotocol.model.SessionUpdate
import com.agentclientprotocol.model.StopReason
import com.agentclientprotocol.protocol.Protocol
import com.agentclientprotocol.transport.StdioTransport
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.serialization.json.JsonElement

private const val PIECE = "The quick brown fox jumps over the lazy dog again."
private const val LINE = "A line of a file that has the usual number of characters.\n"

private val sessions = AtomicInteger()

/** HelloAgent, written with the official Kotlin SDK as its samples are. */
object KotlinSdkAgent {
    @JvmStatic
    fun main(args: Array<String>): Unit = runBlocking {
        val transport = StdioTransport(
            parentScope = this,
            ioDispatcher = Dispatchers.IO,
            input = System.`in`.asSource().buffered(),
            output = System.out.asSink().buffered(),
        )
        val protocol = Protocol(this, transport)
        Agent(protocol, Support)
        protocol.start()
        awaitCancellation()
    }
}

private object Support : AgentSupport {
    override suspend fun initialize(clientInfo: ClientInfo) = AgentInfo()

    override suspend fun createSession(sessionParameters: SessionCreationParameters): AgentSession =
        Session(SessionId("s${sessions.incrementAndGet()}"))

    override suspend fun loadSession(
        sessionId: SessionId,
        sessionParameters: SessionCreationParameters,
    ): AgentSession = Session(sessionId)
}

private class Session(override val sessionId: SessionId) : AgentSession {
    override suspend fun prompt(content: List<ContentBlock>, _meta: JsonElement?): Flow<Event> = flow {
        val text = (content.first() as ContentBlock.Text).text
        val client = currentCoroutineContext().client
        when (text.substringBefore(' ')) {
            "stream" -> repeat(number(text)) { emit(said(PIECE)) }
            "read" -> repeat(number(text)) { client.fsReadTextFile("/home/file.txt") }
            "write" -> client.fsWriteTextFile("/home/file.txt", LINE.repeat(number(text) / LINE.length))
            "take" -> emit(said(text.length.toString()))
            else -> emit(said(PIECE))
        }
        emit(Event.PromptResponseEvent(PromptResponse(StopReason.END_TURN)))
    }
}

private fun number(text: String) = text.substringAfter(' ').toInt()

private fun said(text: String) = Event.SessionUpdateEvent(SessionUpdate.AgentMessageChunk(ContentBlock.Text(text)))
