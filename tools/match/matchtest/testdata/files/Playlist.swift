import Foundation

struct Track: Codable, Hashable {
    let identifier: UUID
    var title: String
    var artist: String
    var duration: TimeInterval
}

enum PlaylistError: Error {
    case emptyPlaylist
    case unknownTrack(UUID)
}

final class Playlist {
    private(set) var tracks: [Track] = []
    private(set) var currentIndex = 0
    var repeats = false

    var totalDuration: TimeInterval {
        tracks.reduce(0) { sum, track in sum + track.duration }
    }

    var current: Track? {
        guard tracks.indices.contains(currentIndex) else { return nil }
        return tracks[currentIndex]
    }

    func append(_ track: Track) {
        tracks.append(track)
    }

    func remove(_ identifier: UUID) throws {
        guard let index = tracks.firstIndex(where: { $0.identifier == identifier }) else {
            throw PlaylistError.unknownTrack(identifier)
        }
        tracks.remove(at: index)
        if index < currentIndex {
            currentIndex -= 1
        }
    }

    @discardableResult
    func next() throws -> Track {
        guard !tracks.isEmpty else { throw PlaylistError.emptyPlaylist }
        if currentIndex + 1 < tracks.count {
            currentIndex += 1
        } else if repeats {
            currentIndex = 0
        }
        return tracks[currentIndex]
    }

    @discardableResult
    func previous() throws -> Track {
        guard !tracks.isEmpty else { throw PlaylistError.emptyPlaylist }
        if currentIndex > 0 {
            currentIndex -= 1
        } else if repeats {
            currentIndex = tracks.count - 1
        }
        return tracks[currentIndex]
    }

    func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(tracks).write(to: url, options: .atomic)
    }
}
