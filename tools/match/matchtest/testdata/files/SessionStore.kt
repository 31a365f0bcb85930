package org.example.session

import java.time.Duration
import java.time.Instant
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

data class Session(
    val id: String,
    val user: String,
    val createdAt: Instant,
    val lastSeen: Instant,
    val attributes: Map<String, String> = emptyMap(),
)

sealed interface Lookup {
    data class Found(val session: Session) : Lookup
    data object Expired : Lookup
    data object Unknown : Lookup
}

class SessionStore(
    private val lifetime: Duration = Duration.ofHours(8),
    private val idle: Duration = Duration.ofMinutes(30),
    private val now: () -> Instant = Instant::now,
) {
    private val sessions = ConcurrentHashMap<String, Session>()

    fun create(user: String): Session {
        require(user.isNotBlank()) { "user is blank" }
        val created = now()
        val session = Session(UUID.randomUUID().toString(), user, created, created)
        sessions[session.id] = session
        return session
    }

    fun lookup(id: String): Lookup {
        val session = sessions[id] ?: return Lookup.Unknown
        if (expired(session)) {
            sessions.remove(id)
            return Lookup.Expired
        }
        val touched = session.copy(lastSeen = now())
        sessions[id] = touched
        return Lookup.Found(touched)
    }

    fun setAttribute(id: String, name: String, value: String): Boolean {
        val session = sessions[id] ?: return false
        sessions[id] = session.copy(attributes = session.attributes + (name to value))
        return true
    }

    fun removeAttribute(id: String, name: String): Boolean {
        val session = sessions[id] ?: return false
        sessions[id] = session.copy(attributes = session.attributes - name)
        return true
    }

    fun sweep(): Int {
        var removed = 0
        for ((id, session) in sessions) {
            if (expired(session)) {
                sessions.remove(id)
                removed++
            }
        }
        return removed
    }

    private fun expired(session: Session): Boolean {
        val moment = now()
        val tooOld = Duration.between(session.createdAt, moment) > lifetime
        val tooIdle = Duration.between(session.lastSeen, moment) > idle
        return tooOld || tooIdle
    }
}
