-- Bookings of rooms, with a history of every change.
CREATE TABLE rooms (
    id          BIGSERIAL PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    capacity    INTEGER NOT NULL CHECK (capacity > 0),
    floor       INTEGER NOT NULL DEFAULT 0,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE guests (
    id          BIGSERIAL PRIMARY KEY,
    name        TEXT NOT NULL,
    email       TEXT NOT NULL UNIQUE,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE bookings (
    id          BIGSERIAL PRIMARY KEY,
    room_id     BIGINT NOT NULL REFERENCES rooms (id) ON DELETE RESTRICT,
    guest_id    BIGINT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
    starts_at   TIMESTAMPTZ NOT NULL,
    ends_at     TIMESTAMPTZ NOT NULL,
    cancelled   BOOLEAN NOT NULL DEFAULT FALSE,
    CHECK (ends_at > starts_at)
);

CREATE INDEX bookings_room_idx ON bookings (room_id, starts_at);
CREATE INDEX bookings_guest_idx ON bookings (guest_id);

CREATE VIEW current_bookings AS
SELECT
    b.id,
    r.name AS room,
    g.name AS guest,
    b.starts_at,
    b.ends_at
FROM bookings b
JOIN rooms r ON r.id = b.room_id
JOIN guests g ON g.id = b.guest_id
WHERE NOT b.cancelled
  AND b.ends_at > now();

CREATE FUNCTION refuse_overlap() RETURNS trigger AS $$
BEGIN
    IF EXISTS (
        SELECT 1
        FROM bookings other
        WHERE other.room_id = NEW.room_id
          AND other.id <> NEW.id
          AND NOT other.cancelled
          AND other.starts_at < NEW.ends_at
          AND other.ends_at > NEW.starts_at
    ) THEN
        RAISE EXCEPTION 'room % is taken', NEW.room_id;
    END IF;
    RETURN NEW;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER bookings_overlap
    BEFORE INSERT OR UPDATE ON bookings
    FOR EACH ROW EXECUTE FUNCTION refuse_overlap();

INSERT INTO rooms (name, capacity, floor) VALUES
    ('Aurora', 12, 1),
    ('Borealis', 8, 1),
    ('Cassiopeia', 4, 2),
    ('Draco', 20, 3);
